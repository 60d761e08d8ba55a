//! Structured content: a result as JSON, with a schema that says what to expect.

use mcp_types::{CallToolResult, ErrorObject, RawJson, Revision, jsonrpc::code};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::content::text_block;
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

/// Whether values of this schema are always objects.
pub(super) fn is_object(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("object")
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
