//! Structured content: a result as JSON, with a schema that says what to expect.

use std::collections::BTreeMap;

use mcp_types::{CallToolResult, ErrorObject, RawJson, Revision, jsonrpc::code};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::content::text_block;
use crate::limits::MAX_CHECKED_DEPTH;
use crate::protocol::structured_content_is_object;
use crate::server::Reply;
use crate::{ProtocolError, schema};

/// The schema of what `T` is written as.
pub(super) fn output_schema<T: JsonSchema>() -> Value {
    match schema::document(schema::describe::<T>, schema::for_output()) {
        // That anything goes is written as `true` too, but an output schema is an object.
        Value::Bool(_) => Value::Object(Map::new()),
        schema => schema,
    }
}

/// The result that carries `value`, and a copy of it as text for clients that read only that.
pub(super) fn result<T: Serialize>(value: &T) -> Result<CallToolResult, ProtocolError> {
    let raw = RawJson::new(value).map_err(|error| {
        let message = format!("the result can't be written as JSON: {error}");
        ErrorObject::new(code::INTERNAL_ERROR, message)
    })?;
    let text = text_block(raw.get());
    Ok(CallToolResult::new([text]).with_structured_content(raw))
}

/// The schema with its type said, if its values can only be objects: revisions of the handshake
/// era want `"type": "object"` at the root of an output schema (2025-11-25, "Tools").
pub(super) fn object_schema(schema: &Value) -> Option<Value> {
    let mut search = ObjectSearch {
        root: schema,
        found: BTreeMap::new(),
    };
    if !search.is_object(schema, 0) {
        return None;
    }
    let mut schema = schema.clone();
    schema["type"] = "object".into();
    Some(schema)
}

/// Finds out whether the values of schemas can only be objects.
struct ObjectSearch<'a> {
    root: &'a Value,
    /// What was found of each reference; `false` while it is being followed.
    found: BTreeMap<&'a str, bool>,
}

impl<'a> ObjectSearch<'a> {
    /// Whether values of `schema` can only be objects: by its type, by what it refers to, by one of
    /// `allOf`, or by all of `anyOf` or `oneOf`.
    fn is_object(&mut self, schema: &'a Value, depth: usize) -> bool {
        if depth > MAX_CHECKED_DEPTH {
            return false;
        }
        let list = |keyword: &str| {
            let list = schema.get(keyword).and_then(Value::as_array);
            list.map_or(&[][..], Vec::as_slice)
        };
        let mut all = |branches: &'a [Value]| {
            let mut branches = branches.iter();
            branches.len() > 0 && branches.all(|branch| self.is_object(branch, depth + 1))
        };
        schema.get("type").is_some_and(|kind| kind == "object")
            || all(list("anyOf"))
            || all(list("oneOf"))
            || list("allOf")
                .iter()
                .any(|part| self.is_object(part, depth + 1))
            || schema
                .get("$ref")
                .and_then(Value::as_str)
                .is_some_and(|reference| self.refers_to_object(reference, depth))
    }

    fn refers_to_object(&mut self, reference: &'a str, depth: usize) -> bool {
        if let Some(found) = self.found.get(reference) {
            return *found;
        }
        self.found.insert(reference, false);
        let referred = reference.strip_prefix('#');
        let referred = referred.and_then(|path| self.root.pointer(path));
        let found = referred.is_some_and(|schema| self.is_object(schema, depth + 1));
        self.found.insert(reference, found);
        found
    }
}

/// The schema of an object with what `schema` describes as its member `result`.
///
/// Most revisions let only an object be structured content (2025-11-25, "Tools").
pub(super) fn wrapped_schema(mut schema: Value) -> Value {
    let definitions = schema
        .as_object_mut()
        .and_then(|members| members.remove("$defs"));
    let mut properties = Map::new();
    properties.insert("result".to_owned(), schema);
    let mut wrapped = Map::new();
    wrapped.insert("type".to_owned(), "object".into());
    wrapped.insert("properties".to_owned(), properties.into());
    wrapped.insert("required".to_owned(), Value::Array(vec!["result".into()]));
    if let Some(definitions) = definitions {
        wrapped.insert("$defs".to_owned(), definitions);
    }
    wrapped.into()
}

/// Puts the structured content of an answer into an object, as the wrapped schema says, where
/// `revision` wants that.
pub(super) fn wrap_reply(
    reply: Reply<CallToolResult>,
    revision: Revision,
) -> Reply<CallToolResult> {
    if !structured_content_is_object(revision) {
        return reply;
    }
    reply.then(|mut result| {
        result.structured_content = result.structured_content.map(|raw| {
            let text = format!(r#"{{"result":{}}}"#, raw.get());
            RawJson::from_text(text).unwrap_or(raw)
        });
        Ok(result)
    })
}

/// Leaves an answer its text only.
pub(super) fn drop_reply(reply: Reply<CallToolResult>) -> Reply<CallToolResult> {
    reply.then(|mut result| {
        result.structured_content = None;
        Ok(result)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn is_object(schema: &Value) -> bool {
        let object = object_schema(schema);
        assert!(object.as_ref().is_none_or(|it| it["type"] == "object"));
        object.is_some()
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
            assert!(is_object(&schema), "{schema}");
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
            assert!(!is_object(&schema), "{schema}");
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
        assert!(!is_object(
            &json!({"$ref": "#/$defs/0", "$defs": definitions})
        ));
    }
}
