//! What a schema expects, in words.

use serde_json::{Map, Value};

use super::{definition, list, one_of};
use crate::limits::MAX_SCHEMA_REFERENCES;
use crate::server::handler::fault::words_of_type;

/// What a schema expects, in words that a model can act upon.
pub(super) fn expected(schema: &Value, definitions: &Map<String, Value>) -> String {
    let schema = referred(schema, definitions);
    if let Some(constant) = schema.get("const") {
        return constant.to_string();
    }
    let constants = list(schema, "enum");
    if !constants.is_empty() {
        return one_of(constants.iter().map(Value::to_string));
    }
    for keyword in ["anyOf", "oneOf"] {
        let branches = list(schema, keyword);
        if !branches.is_empty() {
            return one_of_all(branches, definitions);
        }
    }
    match schema.get("type") {
        Some(Value::String(kind)) => one_kind(kind, schema),
        Some(Value::Array(kinds)) => {
            let kinds = kinds.iter().filter_map(Value::as_str);
            let kinds = kinds.filter(|kind| *kind != "null");
            one_of(kinds.map(|kind| one_kind(kind, schema)))
        }
        _ => "a value".to_owned(),
    }
}

/// What alternatives expect; `null` is not worth telling, as it counts as absent.
pub(super) fn one_of_all(branches: &[Value], definitions: &Map<String, Value>) -> String {
    let branches = branches.iter().map(|branch| referred(branch, definitions));
    let branches = branches.filter(|branch| branch.get("type").is_none_or(|it| it != "null"));
    one_of(branches.map(
        |branch| match branch.get("anyOf").or_else(|| branch.get("oneOf")) {
            // Alternatives of alternatives may have no end.
            Some(_) => "a value".to_owned(),
            None => expected(branch, definitions),
        },
    ))
}

fn one_kind(kind: &str, schema: &Value) -> String {
    let format = schema.get("format").and_then(Value::as_str);
    match kind {
        "integer" => {
            let words = format.and_then(words_of_format).unwrap_or("an integer");
            with_bounds(words, schema)
        }
        "number" => with_bounds("a number", schema),
        "boolean" => "a boolean".to_owned(),
        "string" => "a string".to_owned(),
        "array" => "a list".to_owned(),
        "object" => object(schema),
        other => other.to_owned(),
    }
}

/// An object, with what tells it from other alternatives.
fn object(schema: &Value) -> String {
    let Some(members) = members(schema) else {
        return "an object".to_owned();
    };
    let tag = members
        .iter()
        .find_map(|(name, it)| Some((name, it.get("const")?)));
    match (tag, members.keys().next()) {
        (Some((name, constant)), _) => format!("an object whose `{name}` is {constant}"),
        (None, Some(name)) if members.len() == 1 => format!("an object with `{name}`"),
        _ => "an object".to_owned(),
    }
}

fn with_bounds(words: &str, schema: &Value) -> String {
    let mut phrases = Vec::new();
    for (keyword, phrase) in [
        ("minimum", "of at least"),
        ("exclusiveMinimum", "above"),
        ("maximum", "of at most"),
        ("exclusiveMaximum", "below"),
    ] {
        if let Some(bound) = schema.get(keyword) {
            phrases.push(format!("{phrase} {bound}"));
        }
    }
    match phrases.is_empty() {
        true => words.to_owned(),
        false => {
            let kind = words.split(" from ").next().unwrap_or(words);
            format!("{kind} {}", phrases.join(" and "))
        }
    }
}

/// The integers of a type of Rust, by its name in schemas of schemars.
fn words_of_format(format: &str) -> Option<&'static str> {
    match format {
        "int" => words_of_type("isize"),
        "uint" => words_of_type("usize"),
        format => words_of_type(&format.replace("uint", "u").replace("int", "i")),
    }
}

/// The schema itself, or the definition that it is a reference to.
pub(super) fn referred<'a>(schema: &'a Value, definitions: &'a Map<String, Value>) -> &'a Value {
    let mut schema = schema;
    for _ in 0..MAX_SCHEMA_REFERENCES {
        match definition(schema).and_then(|name| definitions.get(&name)) {
            Some(referred) => schema = referred,
            None => break,
        }
    }
    schema
}

/// The members that a schema of an object describes.
pub(super) fn members(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties").and_then(Value::as_object)
}
