//! Drops what no reader of JSON Schema 2020-12 knows.

use serde_json::Value;

use super::walk::{members, walk};

/// The formats of JSON Schema 2020-12, "Validation", section 7.3.
const FORMATS: [&str; 19] = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uuid",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

/// Removes formats that are names of Rust's own types, and the `$schema` of inner schemas.
pub(super) fn clean(schema: &mut Value) {
    walk(schema, &mut |schema| {
        if let Some(members) = members(schema) {
            members.remove("$schema");
            let foreign = members
                .get("format")
                .and_then(Value::as_str)
                .is_some_and(|format| !FORMATS.contains(&format));
            if foreign {
                members.remove("format");
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::clean;

    #[test]
    fn only_foreign_formats_are_dropped() {
        let mut schema = json!({
            "type": "object",
            "properties": {
                "format": {"type": "integer", "format": "uint32"},
                "at": {"type": "string", "format": "date-time"},
            },
            "examples": [{"format": "uint32"}],
        });
        clean(&mut schema);
        assert_eq!(
            schema,
            json!({
                "type": "object",
                "properties": {
                    "format": {"type": "integer"},
                    "at": {"type": "string", "format": "date-time"},
                },
                "examples": [{"format": "uint32"}],
            })
        );
    }
}
