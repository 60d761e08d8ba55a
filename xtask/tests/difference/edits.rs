//! Tests that the report names the place of a single edit of a stored schema.

use crate::complete::names;
use crate::report::{Report, stored};
use serde_json::{Value, json};

/// A schema inside of a definition: the definition, the path, and a JSON pointer.
struct Spot {
    definition: String,
    path: String,
    pointer: String,
}

/// Returns all schemas of all definitions. Alternatives have the path of their union.
fn spots(definitions: &Value) -> Vec<Spot> {
    let mut spots = Vec::new();
    for (name, definition) in definitions.as_object().unwrap() {
        collect(
            name,
            definition,
            String::new(),
            format!("/{name}"),
            &mut spots,
        );
    }
    spots
}

fn collect(name: &str, schema: &Value, path: String, pointer: String, spots: &mut Vec<Spot>) {
    for (member, schema) in schema["properties"].as_object().into_iter().flatten() {
        let escaped = member.replace('~', "~0").replace('/', "~1");
        let pointer = format!("{pointer}/properties/{escaped}");
        collect(name, schema, format!("{path}.{member}"), pointer, spots);
    }
    for (keyword, step) in [("items", "[]"), ("additionalProperties", "{}")] {
        if schema[keyword]
            .as_object()
            .is_some_and(|schema| !schema.is_empty())
        {
            let pointer = format!("{pointer}/{keyword}");
            collect(
                name,
                &schema[keyword],
                format!("{path}{step}"),
                pointer,
                spots,
            );
        }
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let parts = schema[keyword].as_array().into_iter().flatten();
        for (index, part) in parts.enumerate() {
            let pointer = format!("{pointer}/{keyword}/{index}");
            collect(name, part, path.clone(), pointer, spots);
        }
    }
    spots.push(Spot {
        definition: name.to_owned(),
        path,
        pointer,
    });
}

/// An edit, which changes the schema and returns its step of the path and a keyword, or `None` if the
/// edit does not apply.
type Edit = fn(&mut Value) -> Option<(String, &'static str)>;

fn drop_field(schema: &mut Value) -> Option<(String, &'static str)> {
    let fields = schema.get_mut("properties")?.as_object_mut()?;
    let name = fields.keys().next_back()?.clone();
    fields.remove(&name);
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|required| *required != json!(name));
    }
    Some((format!(".{name}"), "present"))
}

fn add_field(schema: &mut Value) -> Option<(String, &'static str)> {
    schema
        .get_mut("properties")?
        .as_object_mut()?
        .insert("fresh".into(), json!({}));
    Some((".fresh".into(), "present"))
}

fn toggle_need(schema: &mut Value) -> Option<(String, &'static str)> {
    let name = schema["properties"].as_object()?.keys().next()?.clone();
    let mut required = schema["required"].as_array().cloned().unwrap_or_default();
    match required
        .iter()
        .position(|required| *required == json!(name))
    {
        Some(index) => drop(required.remove(index)),
        None => required.push(json!(name)),
    }
    schema["required"] = json!(required);
    Some((format!(".{name}"), "required"))
}

/// Sets `keyword` on schemas of one type.
fn set(
    schema: &mut Value,
    of_type: &str,
    keyword: &str,
    value: Value,
) -> Option<(String, &'static str)> {
    (schema["type"] == of_type).then(|| schema[keyword] = value)?;
    Some((String::new(), "limit"))
}

/// Replaces the schema at `keyword` if it is a schema with keywords.
fn replace(schema: &mut Value, keyword: &str, step: &str) -> Option<(String, &'static str)> {
    schema[keyword]
        .as_object()
        .filter(|schema| !schema.is_empty())?;
    schema[keyword] = json!({ "type": "null" });
    Some((step.to_owned(), "type"))
}

fn push(schema: &mut Value, keyword: &str, value: Value) -> Option<(String, &'static str)> {
    schema.get_mut(keyword)?.as_array_mut()?.push(value);
    Some((String::new(), "member"))
}

const NEED: &str = "change the need";

const EDITS: &[(&str, Edit)] = &[
    ("drop a field", drop_field),
    ("add a field", add_field),
    (NEED, toggle_need),
    ("set a maximum", |schema| {
        set(schema, "integer", "maximum", json!(77))
    }),
    ("set a length", |schema| {
        set(schema, "string", "maxLength", json!(77))
    }),
    ("set a pattern", |schema| {
        set(schema, "string", "pattern", json!("^x$"))
    }),
    ("set a format", |schema| {
        set(schema, "string", "format", json!("time"))
    }),
    ("set a number of items", |schema| {
        set(schema, "array", "maxItems", json!(7))
    }),
    ("set a number of fields", |schema| {
        set(schema, "object", "maxProperties", json!(7))
    }),
    ("set a default", |schema| {
        set(schema, "string", "default", json!("d"))
    }),
    ("close an object", |schema| {
        match schema["type"] == "object" && schema["additionalProperties"] != json!(false) {
            true if schema["additionalProperties"]
                .as_object()
                .is_none_or(serde_json::Map::is_empty) =>
            {
                set(schema, "object", "additionalProperties", json!(false))
            }
            _ => None,
        }
    }),
    ("change values of a map", |schema| {
        replace(schema, "additionalProperties", "{}")
    }),
    ("change items of a list", |schema| {
        replace(schema, "items", "[]")
    }),
    ("add a value", |schema| push(schema, "enum", json!("fresh"))),
    ("add an alternative", |schema| {
        push(schema, "anyOf", json!({ "$ref": "#/$defs/Cursor" }))
    }),
    ("add an inline alternative", |schema| {
        push(schema, "anyOf", json!({ "type": "null" }))
    }),
    ("change a constant", |schema| {
        schema.get("const")?;
        schema["const"] = json!(-1);
        Some((String::new(), "const"))
    }),
    ("change a reference", |schema| {
        schema
            .get("$ref")
            .filter(|target| *target != "#/$defs/Cursor")?;
        schema["$ref"] = json!("#/$defs/Cursor");
        Some((String::new(), "$ref"))
    }),
];

/// Number of edits of each kind.
const SAMPLE: usize = 8;

#[test]
fn every_edit_is_mentioned_at_its_place() {
    let mut failures = Vec::new();
    for revision in ["2025-06-18", "2026-07-28"] {
        let definitions = stored(revision);
        let spots = spots(&definitions);
        for (what, edit) in EDITS {
            let applies = |spot: &&Spot| {
                let schema = definitions.pointer(&spot.pointer).unwrap();
                edit(&mut schema.clone()).is_some()
            };
            let possible: Vec<_> = spots.iter().filter(applies).collect();
            assert!(!possible.is_empty() || revision != "2026-07-28", "{what}");
            let stride = possible.len().div_ceil(SAMPLE).max(1);
            for spot in possible.iter().step_by(stride) {
                let mut edited = definitions.clone();
                let schema = edited.pointer_mut(&spot.pointer).unwrap();
                let (step, keyword) = edit(schema).unwrap();
                let report = Report::new(&definitions, &edited);
                let path = format!("{}{step}", spot.path);
                let names = names(&definitions, &spot.definition, &path);
                let found = names.iter().any(|(name, path)| {
                    report.came_or_went(name) || report.mentions(name, path, keyword)
                });
                if !found {
                    let place = format!("{revision} {}{path}", spot.definition);
                    failures.push(format!("{what} at {place}:\n{}", report.text));
                }
            }
        }
    }
    let count = failures.len();
    failures.truncate(8);
    assert!(failures.is_empty(), "{count}: {}", failures.join("\n"));
}
