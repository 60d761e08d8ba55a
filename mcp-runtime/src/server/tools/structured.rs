//! Structured content: results as JSON with an output schema.

use mcp_types::{CallToolResult, ContentBlock, RawJson, Revision};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::expected::list;
use super::validation::Validation;
use super::{IntoContent, ToolOutcome};
use crate::error::RequestError;
use crate::limits::{MAX_CHECKED_DEPTH, MAX_CHECKED_VALUES};
use crate::protocol::structured_content_is_object;
use crate::schema::{self, Describe};
use crate::server::Reply;
use crate::{ProtocolError, advice};

/// A value that is returned as structured content, together with your own text or content.
///
/// A value without this wrapper, or in [`Json`](crate::Json), is sent with a copy of its JSON as
/// text, for clients that read only text. The output schema is the schema of `T`.
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// #[derive(Serialize, JsonSchema)]
/// struct Weather {
///     degrees: f64,
/// }
///
/// struct Station;
///
/// #[mcp_server]
/// impl Station {
///     /// Measures the temperature.
///     #[tool]
///     fn weather(&self) -> Result<Structured<Weather>, ToolError> {
///         let text = "21.5 degrees and rising";
///         let curve = Image::png(vec![0x89, 0x50, 0x4e, 0x47]);
///         Ok(Structured::new(Weather { degrees: 21.5 }).with_text(text).with_content(curve))
///     }
/// }
/// # drop(Station.into_server());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Structured<T> {
    value: T,
    /// The text that replaces the copy of the JSON.
    text: Option<String>,
    content: Vec<ContentBlock>,
}

impl<T> Structured<T> {
    /// Returns `value` with a copy of its JSON as text.
    pub const fn new(value: T) -> Self {
        Self {
            value,
            text: None,
            content: Vec::new(),
        }
    }

    /// Replaces the copy of the JSON with `text`, which models read.
    #[must_use]
    pub fn with_text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// Adds content after the text.
    #[must_use]
    pub fn with_content(mut self, content: impl IntoContent) -> Self {
        self.content.extend(content.into_content());
        self
    }
}

impl<T: Serialize + JsonSchema> Structured<T> {
    pub(super) fn into_result(self) -> Result<CallToolResult, ProtocolError> {
        let mut result = result(&self.value)?;
        if let Some(text) = self.text {
            result.content = vec![ContentBlock::text(text)];
        }
        result.content.extend(self.content);
        Ok(result)
    }
}

/// Returns the schema of the serialized form of `T`.
pub(super) fn output_schema<T: JsonSchema>() -> Value {
    match schema::document(schema::describe::<T>, schema::for_output()) {
        // A schema may be `true`, but an output schema must be an object.
        Value::Bool(_) => Value::Object(Map::new()),
        schema => schema,
    }
}

/// Returns the result with `value`, and a copy as text for clients that read only text.
pub(super) fn result<T: Serialize + JsonSchema>(
    value: &T,
) -> Result<CallToolResult, ProtocolError> {
    let name = std::any::type_name::<T>();
    let raw = RawJson::new(value).map_err(|error| {
        let reason = format!("{error}, in `{name}`");
        RequestError::UnwritableResult(reason).to_error()
    })?;
    advice::warn_of_null(name, &raw, || unexpected_null(schema::describe::<T>, &raw));
    let text = ContentBlock::text(raw.get());
    Ok(CallToolResult::new([text]).with_structured_content(raw))
}

/// Returns the path of a `null` in `json` that the schema of its type does not allow.
fn unexpected_null(describe: Describe, json: &RawJson) -> Option<String> {
    let mut generator = schema::for_output();
    let schema = describe(&mut generator).to_value();
    let validation = Validation::new(schema, generator.take_definitions(true));
    let value = serde_json::from_str(json.get()).unwrap_or_default();
    let violations = validation.violations("", &value, false);
    let mut nulls = violations
        .into_iter()
        .filter(|it| it.message.contains(": null"));
    nulls.next().map(|null| null.path)
}

/// Checks the reply of `tool` against the output schema, if there is one.
pub(super) fn fitting(
    tool: &str,
    schema: Option<&RawJson>,
    reply: Reply<ToolOutcome>,
) -> Reply<ToolOutcome> {
    let Some(schema) = schema.cloned() else {
        return reply;
    };
    let tool = tool.to_owned();
    reply.then_complete(move |result| advice::check_output(&tool, &schema, result))
}

/// Returns the listed output schema. If it does not describe an object, also returns a wrapped
/// schema for revisions that require `"type": "object"` at the root (2025-11-25, "Tools").
pub(crate) fn listed_schemas(mut schema: Value) -> (RawJson, Option<RawJson>) {
    if is_object(&schema, &schema, 0, &mut { MAX_CHECKED_VALUES }) {
        schema["type"] = "object".into();
        return (schema.into(), None);
    }
    (
        RawJson::encode(&schema),
        Some(wrapped_schema(schema).into()),
    )
}

/// Returns true if values of `schema` can only be objects. This follows from its `type`, from the
/// schema in `root` that it refers to, from one part of `allOf`, or from all parts of `anyOf` or
/// `oneOf`.
///
/// It visits at most `left` schemas, because references can be circular.
fn is_object(schema: &Value, root: &Value, depth: usize, left: &mut usize) -> bool {
    if depth > MAX_CHECKED_DEPTH || *left == 0 {
        return false;
    }
    *left -= 1;
    if schema.get("type").is_some_and(|kind| kind == "object") {
        return true;
    }
    let mut is_object = |schema: &Value| is_object(schema, root, depth + 1, left);
    let mut alternatives = ["anyOf", "oneOf"].map(|it| list(schema, it)).into_iter();
    let reference = schema.get("$ref").and_then(Value::as_str);
    let referred = reference
        .and_then(|reference| reference.strip_prefix('#'))
        .and_then(|path| root.pointer(path));
    alternatives.any(|it| !it.is_empty() && it.iter().all(&mut is_object))
        || list(schema, "allOf").iter().any(&mut is_object)
        || referred.is_some_and(is_object)
}

/// Returns the schema of an object whose member `result` has `schema`.
///
/// Revisions before 2026-07-28 allow only objects as structured content (2025-11-25, "Tools").
fn wrapped_schema(mut schema: Value) -> Value {
    let members = schema.as_object_mut();
    let definitions = members.and_then(|members| members.shift_remove("$defs"));
    let mut wrapped = json!({
        "type": "object",
        "properties": {"result": schema},
        "required": ["result"],
    });
    if let Some(definitions) = definitions {
        wrapped["$defs"] = definitions;
    }
    wrapped
}

/// Wraps the structured content of a reply in an object, as in the wrapped schema, if `revision`
/// requires an object.
pub(super) fn wrap_reply(reply: Reply<ToolOutcome>, revision: Revision) -> Reply<ToolOutcome> {
    if !structured_content_is_object(revision) {
        return reply;
    }
    reply.then_complete(|mut result| {
        result.structured_content = result.structured_content.map(|raw| {
            let text = format!(r#"{{"result":{}}}"#, raw.get());
            RawJson::from_text(text).unwrap_or(raw)
        });
        Ok(result)
    })
}

/// Removes the structured content of a reply, and keeps its text.
pub(super) fn drop_reply(reply: Reply<ToolOutcome>) -> Reply<ToolOutcome> {
    reply.then_complete(|mut result| {
        result.structured_content = None;
        Ok(result)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn can_only_be_object(schema: &Value) -> bool {
        let (listed, wrapped) = listed_schemas(schema.clone());
        let typed = wrapped.as_ref().unwrap_or(&listed).as_raw().member("type");
        assert_eq!(typed.unwrap().get(), "\"object\"");
        wrapped.is_none()
    }

    #[test]
    fn schemas_of_objects_are_found_behind_references_and_alternatives() {
        let object = json!({"type": "object"});
        for schema in [
            object.clone(),
            json!({"$ref": "#/$defs/A", "$defs": {"A": object}}),
            json!({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": object}}),
            json!({"allOf": [{"title": "x"}, object]}),
            json!({"anyOf": [object, {"allOf": [object]}]}),
            json!({"oneOf": [object, {"$ref": "#/$defs/A"}], "$defs": {"A": object}}),
            json!({"oneOf": [object, {"allOf": [{"$ref": "#"}, object]}]}),
        ] {
            assert!(can_only_be_object(&schema), "{schema}");
        }
    }

    #[test]
    fn other_schemas_are_none_of_objects() {
        let object = json!({"type": "object"});
        for schema in [
            json!({}),
            json!(true),
            json!({"type": "array"}),
            json!({"type": ["object", "null"]}),
            json!({"properties": {}}),
            json!({"anyOf": []}),
            json!({"anyOf": [object, {"type": "null"}]}),
            json!({"oneOf": [object, {"const": "x"}]}),
            json!({"$ref": "#"}),
            json!({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}}),
            json!({"$ref": "#/$defs/B", "$defs": {"A": object}}),
            json!({"$ref": "https://example.com/schema"}),
            json!({"oneOf": [object, {"$ref": "#"}, {"$ref": "#"}]}),
        ] {
            assert!(!can_only_be_object(&schema), "{schema}");
        }
    }

    #[test]
    fn a_schema_of_another_server_takes_neither_time_nor_stack() {
        let next = |index: usize| json!({"$ref": format!("#/$defs/{}", index + 1)});
        let definitions: Map<_, _> = (0..10_000)
            .map(|index| {
                (
                    index.to_string(),
                    json!({"anyOf": [next(index), next(index)]}),
                )
            })
            .collect();
        assert!(!can_only_be_object(
            &json!({"$ref": "#/$defs/0", "$defs": definitions})
        ));
    }
}
