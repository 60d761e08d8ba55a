//! Short JSON Schemas of Rust types.
//!
//! Formats of schemars that are not in JSON Schema 2020-12 are removed, and definitions that are
//! used only once are inlined.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::transform::{RecursiveTransform, Transform as _};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use crate::advice::without_links;

/// Makes the schema of one type. A function pointer keeps the code that uses it from being generic.
pub(crate) type Describe = fn(&mut SchemaGenerator) -> Schema;

pub(crate) fn describe<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// Returns a generator for schemas of values that are deserialized.
pub(crate) fn for_input() -> SchemaGenerator {
    settings().for_deserialize().into_generator()
}

/// Returns a generator for schemas of values that are serialized.
pub(crate) fn for_output() -> SchemaGenerator {
    settings().for_serialize().into_generator()
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None)
}

/// Returns the whole schema of one type, including its definitions.
pub(crate) fn document(describe: Describe, mut generator: SchemaGenerator) -> Value {
    let mut schemas = [describe(&mut generator).to_value()];
    let definitions = finish(&mut generator, &mut schemas);
    let [mut schema] = schemas;
    if !definitions.is_empty()
        && let Value::Object(members) = &mut schema
    {
        members.insert("$defs".to_owned(), Value::Object(definitions));
    }
    schema
}

/// Cleans `schemas` and the definitions that `generator` made for them, and inlines definitions
/// that are used once.
///
/// Returns the definitions that remain: those that are used more than once, or only by each other.
pub(crate) fn finish(generator: &mut SchemaGenerator, schemas: &mut [Value]) -> Map<String, Value> {
    let mut definitions = generator.take_definitions(true);
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    for schema in schemas.iter_mut().chain(definitions.values_mut()) {
        walk(schema, &mut |schema| {
            clean(schema);
            if let Some(name) = reference(schema) {
                *uses.entry(name.to_owned()).or_default() += 1;
            }
        });
    }
    let is_single = |(name, _): &(String, Value)| uses.get(name) == Some(&1);
    let (single, mut shared): (Map<_, _>, Map<_, _>) = definitions.into_iter().partition(is_single);
    shared.retain(|name, _| !is_plain(name) || uses.contains_key(name));
    for schema in schemas.iter_mut().chain(shared.values_mut()) {
        walk(schema, &mut |schema| write_out(schema, &single));
    }
    shared
}

/// Calls `visit` on `schema` and on all schemas inside it, outer schemas first.
pub(crate) fn walk(schema: &mut Value, visit: &mut dyn FnMut(&mut Map<String, Value>)) {
    let mut transform = RecursiveTransform(|schema: &mut Schema| {
        if let Some(members) = schema.as_object_mut() {
            visit(members);
        }
    });
    if let Ok(schema) = schema.try_into() {
        transform.transform(schema);
    }
}

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

/// Removes formats that are names of Rust types, the `$schema` of inner schemas, and rustdoc links
/// in descriptions.
fn clean(schema: &mut Map<String, Value>) {
    schema.shift_remove("$schema");
    if let Some(Value::String(text)) = schema.get_mut("description")
        && let Cow::Owned(plain) = without_links(text)
    {
        *text = plain;
    }
    let format = schema.get("format").and_then(Value::as_str);
    if format.is_some_and(|format| !FORMATS.contains(&format)) {
        schema.shift_remove("format");
    }
}

/// Returns the name of the definition that a schema refers to.
fn reference(schema: &Map<String, Value>) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}

/// Returns true if references contain the name without escapes.
fn is_plain(name: &str) -> bool {
    name.chars()
        .all(|letter| letter.is_ascii_alphanumeric() || "_-.".contains(letter))
}

/// Replaces a reference to a definition in `single` with the definition. No other schema refers to
/// these definitions.
///
/// Annotations next to the reference win. Constraints of both are kept.
fn write_out(schema: &mut Map<String, Value>, single: &Map<String, Value>) {
    while let Some(definition) = reference(schema).and_then(|name| single.get(name)) {
        schema.shift_remove("$ref");
        for (keyword, value) in definition.as_object().into_iter().flatten() {
            join(schema, keyword, value);
        }
    }
}

/// The keywords that describe values without limiting them.
const ANNOTATIONS: [&str; 7] = [
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
];

/// Adds a keyword to a schema, and merges the values if the schema has the keyword. This is needed
/// for tagged enums, which have their tag as a property next to the reference to their content.
fn join(schema: &mut Map<String, Value>, keyword: &str, value: &Value) {
    match (schema.get_mut(keyword), value) {
        (None, _) => {
            schema.insert(keyword.to_owned(), value.clone());
        }
        (Some(known), _) if known == value || ANNOTATIONS.contains(&keyword) => {}
        (Some(Value::Object(known)), Value::Object(more))
            if keyword == "properties" && more.keys().all(|name| !known.contains_key(name)) =>
        {
            known.extend(more.clone());
        }
        (Some(Value::Array(known)), Value::Array(more)) if keyword == "required" => {
            let more = more.iter().filter(|name| !known.contains(name));
            let more: Vec<_> = more.cloned().collect();
            known.extend(more);
        }
        (Some(_), _) => {
            let all = schema.entry("allOf").or_insert_with(|| json!([]));
            if let Value::Array(all) = all {
                all.push(json!({keyword: value}));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_are_kept_on_both_sides() {
        let mut schema = json!({
            "description": "Beside.",
            "properties": {"kind": {"const": "book"}},
            "required": ["kind"],
            "anyOf": [{"minProperties": 1}],
            "$ref": "#/$defs/Book",
        });
        let definition = json!({
            "description": "A book.",
            "type": "object",
            "properties": {"title": {"type": "string"}},
            "required": ["title", "kind"],
            "anyOf": [{"minProperties": 2}],
        });
        let single = Map::from_iter([("Book".to_owned(), definition)]);
        walk(&mut schema, &mut |schema| write_out(schema, &single));
        let expected = json!({
            "description": "Beside.",
            "type": "object",
            "properties": {"kind": {"const": "book"}, "title": {"type": "string"}},
            "required": ["kind", "title"],
            "anyOf": [{"minProperties": 1}],
            "allOf": [{"anyOf": [{"minProperties": 2}]}],
        });
        assert_eq!(schema, expected);
    }

    #[test]
    fn only_foreign_formats_are_removed() {
        let mut schema = json!({
            "type": "object",
            "properties": {
                "format": {"type": "integer", "format": "uint32"},
                "at": {"type": "string", "format": "date-time"},
            },
            "examples": [{"format": "uint32"}],
        });
        walk(&mut schema, &mut clean);
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
