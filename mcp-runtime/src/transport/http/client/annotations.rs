//! Arguments that servers want repeated in headers (2026-07-28, "Streamable HTTP", section
//! "Custom Headers from Tool Parameters").

use std::collections::{HashMap, HashSet};

use http::header::HeaderName;
use serde_json::Value;

const ANNOTATION: &str = "x-mcp-header";

/// What the lists of tools that have passed say of headers.
#[derive(Debug, Default)]
pub(super) struct Annotations {
    by_tool: HashMap<String, Vec<Param>>,
}

/// A header, and the keys that lead to the argument that it repeats.
pub(super) type Param = (HeaderName, Vec<String>);

impl Annotations {
    /// The headers of a tool.
    pub(super) fn of(&self, tool: &str) -> &[Param] {
        self.by_tool.get(tool).map_or(&[], Vec::as_slice)
    }

    /// Learns from a list of tools. Gives back the places of those whose annotations are invalid:
    /// they must not be used.
    pub(super) fn learn(&mut self, tools: &Value) -> HashSet<usize> {
        let mut invalid = HashSet::new();
        for (place, tool) in tools.as_array().into_iter().flatten().enumerate() {
            let name = tool["name"].as_str().unwrap_or_default();
            match params(&tool["inputSchema"]) {
                Ok(params) if params.is_empty() => {
                    self.by_tool.remove(name);
                }
                Ok(params) => {
                    self.by_tool.insert(name.to_owned(), params);
                }
                Err(reason) => {
                    tracing::warn!(
                        tool = name,
                        reason,
                        "a tool with invalid headers was dropped"
                    );
                    invalid.insert(place);
                }
            }
        }
        invalid
    }
}

/// The annotated parameters of a schema.
///
/// # Errors
///
/// What makes an annotation, and with it the tool, invalid.
fn params(schema: &Value) -> Result<Vec<Param>, &'static str> {
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

/// How many annotations there are, wherever they stand.
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
        params(&json!({"type": "object", "properties": properties})).is_ok()
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
}
