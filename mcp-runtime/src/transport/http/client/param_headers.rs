//! Arguments of tools that headers repeat (2026-07-28, "Streamable HTTP", section "Custom Headers
//! from Tool Parameters").

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcp_types::integer_digits;
use serde_json::Value;

use crate::protocol::{ParamHeader, StrictJson};
use crate::transport::http::headers::{BASE64_PREFIX, BASE64_SUFFIX};

/// The annotated arguments of the tools that a server has listed.
#[derive(Debug, Default)]
pub(super) struct ParamHeaders {
    by_tool: HashMap<String, Vec<ParamHeader>>,
}

impl ParamHeaders {
    /// Reads the annotations off the answer to `tools/list`, and removes the tools whose annotations
    /// are invalid.
    ///
    /// # Errors
    ///
    /// If the list can't be read.
    pub(super) fn read_list(&mut self, message: Vec<u8>) -> serde_json::Result<Vec<u8>> {
        if memchr::memmem::find(&message, ParamHeader::ANNOTATION.as_bytes()).is_none() {
            return Ok(message);
        }
        let mut list = serde_json::from_slice::<Value>(&message)?;
        let tools = list.pointer_mut("/result/tools");
        let Some(tools) = tools.and_then(Value::as_array_mut) else {
            return Ok(message);
        };
        let before = tools.len();
        tools.retain(|tool| self.read_tool(tool));
        if tools.len() == before {
            return Ok(message);
        }
        serde_json::to_vec(&list)
    }

    /// Reads the annotations of one tool; `false` if they are invalid.
    fn read_tool(&mut self, tool: &Value) -> bool {
        let name = tool["name"].as_str().unwrap_or_default();
        match annotated_params(&tool["inputSchema"]) {
            Ok(params) => {
                self.by_tool.insert(name.to_owned(), params);
                true
            }
            Err(reason) => {
                tracing::warn!(
                    tool = name,
                    reason,
                    "a tool with invalid headers was dropped"
                );
                false
            }
        }
    }

    /// The headers that repeat arguments of `tool`.
    pub(super) fn of(&self, tool: &str) -> &[ParamHeader] {
        self.by_tool.get(tool).map_or(&[], Vec::as_slice)
    }
}

/// Returns the text of an argument for a header; `None` if it is absent.
///
/// # Errors
///
/// If the argument is a list or an object.
pub(super) fn text<'a>(
    param: &ParamHeader,
    arguments: &StrictJson<'a>,
) -> Result<Option<Cow<'a, str>>, String> {
    Ok(Some(match arguments.get(&param.path) {
        None | Some(StrictJson::Null) => return Ok(None),
        Some(StrictJson::String(text)) => text.clone(),
        Some(StrictJson::Bool(flag)) => flag.to_string().into(),
        Some(StrictJson::Number(number)) => integer_digits(number).unwrap_or(Cow::Borrowed(number)),
        Some(StrictJson::Array(_) | StrictJson::Object(_)) => {
            let (path, name) = (param.path.join("."), &param.name);
            return Err(format!(
                "`params.arguments.{path}` is a list or an object, which can't be sent in the \
                 header `{name}`"
            ));
        }
    }))
}

/// Encodes a text as the value of a header: itself where it is plain, else in Base64 (2026-07-28,
/// "Streamable HTTP", section "Value Encoding").
pub(super) fn encode(text: &str) -> Cow<'_, str> {
    let plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) && text.trim() == text;
    let looks_encoded = text.starts_with(BASE64_PREFIX) && text.ends_with(BASE64_SUFFIX);
    if plain && !looks_encoded {
        Cow::Borrowed(text)
    } else {
        let encoded = STANDARD.encode(text);
        Cow::Owned(format!("{BASE64_PREFIX}{encoded}{BASE64_SUFFIX}"))
    }
}

/// Returns the annotated parameters of a schema.
///
/// # Errors
///
/// The reason for which an annotation, and with it the tool, is invalid.
fn annotated_params(schema: &Value) -> Result<Vec<ParamHeader>, &'static str> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    for (path, property) in ParamHeader::annotated(schema) {
        let kind = property["type"].as_str();
        if !matches!(kind, Some("string" | "integer" | "boolean")) {
            return Err("only strings, integers and booleans can be repeated");
        }
        let param = ParamHeader::of_property(path, property);
        let param = param.ok_or("an annotation is no name of a header")?;
        if !seen.insert(param.name.clone()) {
            return Err("two arguments have the same header");
        }
        found.push(param);
    }
    // Quotes within a string are escaped: this is a member wherever it is found.
    let annotation = format!("\"{}\":\"", ParamHeader::ANNOTATION);
    match found.len() == schema.to_string().matches(&annotation).count() {
        true => Ok(found),
        false => Err("an annotation stands where no argument can be found"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn is_valid(properties: &Value) -> bool {
        annotated_params(&json!({"type": "object", "properties": properties})).is_ok()
    }

    #[test]
    fn annotations_of_primitive_arguments_are_valid() {
        assert!(is_valid(&json!({
            "a": {"type": "string", "x-mcp-header": "A"},
            "b": {"type": "object", "properties": {
                "c": {"type": "integer", "x-mcp-header": "C"},
            }},
        })));
        assert!(is_valid(&json!({})));
    }

    #[test]
    fn other_annotations_make_a_tool_invalid() {
        for property in [
            json!({"type": "string", "x-mcp-header": ""}),
            json!({"type": "string", "x-mcp-header": 7}),
            json!({"type": "string", "x-mcp-header": "a b"}),
            json!({"type": "string", "x-mcp-header": "a:b"}),
            json!({"type": "string", "x-mcp-header": "ä"}),
            json!({"type": "string", "x-mcp-header": "a\nb"}),
            json!({"type": "number", "x-mcp-header": "A"}),
            json!({"type": "object", "x-mcp-header": "A"}),
            json!({"type": "array", "items": {"type": "string", "x-mcp-header": "A"}}),
            json!({"anyOf": [{"type": "string", "x-mcp-header": "A"}]}),
        ] {
            assert!(!is_valid(&json!({"x": property})), "{property}");
        }
        assert!(!is_valid(&json!({
            "a": {"type": "string", "x-mcp-header": "Same"},
            "b": {"type": "string", "x-mcp-header": "SAME"},
        })));
    }

    #[test]
    fn what_is_not_plain_is_encoded() {
        for (text, expected) in [
            ("us-west1", "us-west1"),
            ("us west 1", "us west 1"),
            ("", ""),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ] {
            assert_eq!(encode(text), expected, "{text:?}");
        }
    }
}
