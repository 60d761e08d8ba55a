//! Arguments of tools that headers repeat (2026-07-28, "Streamable HTTP", section "Custom Headers
//! from Tool Parameters").

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::HeaderName;
use mcp_types::jsonrpc::{Frame, Message};
use mcp_types::{RawJsonRef, RequestParamsRef, integer_digits};
use serde_json::Value;

use crate::protocol::StrictJson;
use crate::transport::http::headers::{BASE64_PREFIX, BASE64_SUFFIX};

const ANNOTATION: &str = "x-mcp-header";

/// The annotated arguments of the tools that a server has listed.
#[derive(Debug, Default)]
pub(super) struct ParamHeaders {
    by_tool: HashMap<String, Vec<Param>>,
}

/// A header, and the keys that lead to the argument that it repeats.
type Param = (HeaderName, Vec<String>);

impl ParamHeaders {
    /// Reads the annotations off the answer to `tools/list`, and removes the tools whose annotations
    /// are invalid.
    ///
    /// # Errors
    ///
    /// If the list can't be read.
    pub(super) fn read_list(&mut self, message: Vec<u8>) -> serde_json::Result<Vec<u8>> {
        if memchr::memmem::find(&message, ANNOTATION.as_bytes()).is_none() {
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

    /// Returns the headers of the call of `tool` in `line`, with the text of the arguments.
    ///
    /// # Errors
    ///
    /// The path of an argument that can't be read, or that no header can repeat.
    pub(super) fn values(
        &self,
        tool: &str,
        line: &str,
    ) -> Result<Vec<(HeaderName, String)>, String> {
        let params = self.by_tool.get(tool).map_or(&[][..], Vec::as_slice);
        if params.is_empty() {
            return Ok(Vec::new());
        }
        let params_of_call = match Frame::parse(line.as_bytes()) {
            Ok(Frame::Single(Message::Request { params, .. })) => params,
            _ => None,
        };
        let params_of_call =
            params_of_call.and_then(|raw| raw.parse::<RequestParamsRef<'_>>().ok());
        let arguments = params_of_call.and_then(|params| params.arguments);
        let arguments = arguments.unwrap_or(RawJsonRef::empty_object());
        let arguments = StrictJson::read(arguments.get(), "params.arguments")
            .map_err(|error| error.to_string())?;
        let mut values = Vec::new();
        for (header, path) in params {
            let text = match arguments.get(path) {
                None | Some(StrictJson::Null) => continue,
                Some(StrictJson::String(text)) => text.clone(),
                Some(StrictJson::Bool(flag)) => flag.to_string().into(),
                Some(StrictJson::Number(number)) => {
                    integer_digits(number).unwrap_or(Cow::Borrowed(number))
                }
                Some(StrictJson::Array(_) | StrictJson::Object(_)) => {
                    return Err(format!(
                        "`params.arguments.{}` is a list or an object, which can't be sent in the \
                         header `{header}`",
                        path.join(".")
                    ));
                }
            };
            values.push((header.clone(), text.into_owned()));
        }
        Ok(values)
    }
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
fn annotated_params(schema: &Value) -> Result<Vec<Param>, &'static str> {
    let mut found = Vec::new();
    collect(schema, &mut Vec::new(), &mut found)?;
    if found.len() != count(schema) {
        return Err("an annotation stands where no argument can be found");
    }
    let mut seen = HashSet::new();
    if !found.iter().all(|(name, _)| seen.insert(name)) {
        return Err("two arguments have the same header");
    }
    Ok(found)
}

fn collect(
    schema: &Value,
    path: &mut Vec<String>,
    found: &mut Vec<Param>,
) -> Result<(), &'static str> {
    let Some(Value::Object(properties)) = schema.get("properties") else {
        return Ok(());
    };
    for (key, property) in properties {
        path.push(key.clone());
        if let Some(annotation) = property.get(ANNOTATION) {
            found.push((header(annotation, property)?, path.clone()));
        }
        collect(property, path, found)?;
        path.pop();
    }
    Ok(())
}

fn header(annotation: &Value, property: &Value) -> Result<HeaderName, &'static str> {
    let suffix = annotation.as_str().filter(|suffix| !suffix.is_empty());
    let suffix = suffix.ok_or("a header has no name")?;
    let primitive = ["string", "integer", "boolean"];
    if !property["type"]
        .as_str()
        .is_some_and(|kind| primitive.contains(&kind))
    {
        return Err("only strings, integers and booleans can be repeated");
    }
    HeaderName::try_from(format!("mcp-param-{suffix}"))
        .map_err(|_| "a name is not allowed for headers")
}

/// Counts the annotations anywhere in a schema.
fn count(schema: &Value) -> usize {
    match schema {
        Value::Object(members) => {
            let here = usize::from(members.get(ANNOTATION).is_some_and(Value::is_string));
            // An argument may be called like the annotation; it is a schema then.
            here + members.values().map(count).sum::<usize>()
        }
        Value::Array(items) => items.iter().map(count).sum(),
        _ => 0,
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
