//! The arguments that a tool wants repeated in HTTP headers (2026-07-28, "Tools", section
//! "x-mcp-header").

use mcp_types::RawJson;
use serde_json::Value;

/// One argument that the header `Mcp-Param-{name}` repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParamHeader {
    /// The whole name of the header, in lower case.
    pub(crate) name: String,
    /// The names of the members that lead to the argument.
    pub(crate) path: Vec<String>,
}

const ANNOTATION: &str = "x-mcp-header";

impl ParamHeader {
    /// The annotated arguments of an input schema. An annotation that is no name of a header is
    /// ignored with a warning.
    ///
    /// # Errors
    ///
    /// When the schema may have annotations, and can't be read.
    pub(crate) fn of_schema(schema: &RawJson) -> serde_json::Result<Box<[Self]>> {
        let mut found = Vec::new();
        if schema.get().contains(ANNOTATION) {
            collect(&schema.parse()?, &mut Vec::new(), &mut found);
        }
        Ok(found.into())
    }
}

/// Finds the annotated properties; only `properties` may lead to them.
fn collect(schema: &Value, path: &mut Vec<String>, found: &mut Vec<ParamHeader>) {
    let Some(Value::Object(properties)) = schema.get("properties") else {
        return;
    };
    for (key, property) in properties {
        path.push(key.clone());
        if let Some(Value::String(suffix)) = property.get(ANNOTATION) {
            if is_token(suffix) {
                found.push(ParamHeader {
                    name: format!("mcp-param-{}", suffix.to_ascii_lowercase()),
                    path: path.clone(),
                });
            } else {
                tracing::warn!(
                    suffix,
                    "an `x-mcp-header` that is no header name is ignored"
                );
            }
        }
        collect(property, path, found);
        path.pop();
    }
}

/// Whether `name` may be the name of a header (RFC 9110, section 5.6.2).
fn is_token(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn annotations_are_found_where_properties_lead_to_them() {
        let schema = json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "limits": {"type": "object", "properties": {
                "rows": {"type": "integer", "x-mcp-header": "Rows"},
            }},
            "list": {"type": "array", "items": {"type": "string", "x-mcp-header": "Item"}},
            "bad": {"type": "string", "x-mcp-header": "a b"},
            "empty": {"type": "string", "x-mcp-header": ""},
            "plain": {"type": "string"},
        }});
        let mut found = ParamHeader::of_schema(&schema.into()).unwrap().into_vec();
        found.sort_by(|one, other| one.name.cmp(&other.name));
        let found: Vec<_> = found
            .iter()
            .map(|header| (&*header.name, header.path.join(".")))
            .collect();
        assert_eq!(
            found,
            [
                ("mcp-param-region", "region".to_owned()),
                ("mcp-param-rows", "limits.rows".to_owned()),
            ]
        );
    }
}
