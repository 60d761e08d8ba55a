//! Arguments of a tool that are repeated in HTTP headers (2026-07-28, "Tools", section
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

impl ParamHeader {
    /// The keyword of a schema for the name of the header, without `Mcp-Param-`.
    pub(crate) const ANNOTATION: &str = "x-mcp-header";

    /// The annotated arguments of an input schema. An annotation that is no name of a header is
    /// ignored with a warning.
    ///
    /// # Errors
    ///
    /// When the schema may have annotations, and can't be read.
    pub(crate) fn of_schema(schema: &RawJson) -> serde_json::Result<Box<[Self]>> {
        if !schema.get().contains(Self::ANNOTATION) {
            return Ok(Box::default());
        }
        let schema = schema.parse()?;
        let annotated = Self::annotated(&schema).into_iter();
        let headers = annotated.filter_map(|(path, property)| {
            let header = Self::of_property(path, property);
            if header.is_none() {
                let name = &property[Self::ANNOTATION];
                crate::log::warn!(%name, "an `x-mcp-header` that is no header name is ignored");
            }
            header
        });
        Ok(headers.collect())
    }

    /// The annotated properties of a schema, with their paths; only `properties` may lead to them.
    pub(crate) fn annotated(schema: &Value) -> Vec<(Vec<String>, &Value)> {
        let mut found = Vec::new();
        collect(schema, &mut Vec::new(), &mut found);
        found
    }

    /// The header of an annotated property; `None` if the annotation is no name of a header.
    pub(crate) fn of_property(path: Vec<String>, property: &Value) -> Option<Self> {
        let suffix = property[Self::ANNOTATION].as_str()?;
        let name = format!("mcp-param-{}", suffix.to_ascii_lowercase());
        is_token(suffix).then_some(Self { name, path })
    }
}

fn collect<'a>(
    schema: &'a Value,
    path: &mut Vec<String>,
    found: &mut Vec<(Vec<String>, &'a Value)>,
) {
    let Some(Value::Object(properties)) = schema.get("properties") else {
        return;
    };
    for (key, property) in properties {
        path.push(key.clone());
        if property.get(ParamHeader::ANNOTATION).is_some() {
            found.push((path.clone(), property));
        }
        collect(property, path, found);
        path.pop();
    }
}

/// Returns true if `name` may be the name of a header (RFC 9110, section 5.6.2).
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
