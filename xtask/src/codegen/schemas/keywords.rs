//! Checks that the generator supports each keyword of a stored schema.
//!
//! The form of a schema is given by a keyword of [`FORMS`] or by its `type`. Each form has a list of
//! other keywords that are supported. Without this check, unsupported keywords would be silently ignored.

use super::load::Schema;
use super::subschemas::{each, referred};
use crate::codegen::error::{Error, Result};
use crate::codegen::overlay::file::Overlay;
use serde_json::{Value, json};

/// Keywords that determine the form of a schema, each with the other supported keywords.
const FORMS: [(&str, &[&str]); 6] = [
    ("$ref", &[]),
    (
        "allOf",
        &["additionalProperties", "properties", "required", "type"],
    ),
    ("anyOf", &[]),
    ("oneOf", &[]),
    ("const", &["type"]),
    ("enum", &["type"]),
];

/// Keywords that are only annotations.
const COMMENTS: [&str; 3] = ["contentEncoding", "contentMediaType", "format"];

/// Keywords that the generated code does not enforce.
const LIMITS: [&str; 11] = [
    "default",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxLength",
    "maxProperties",
    "minItems",
    "minLength",
    "minProperties",
    "multipleOf",
    "pattern",
    "uniqueItems",
];

/// Checks all schemas in `schema`, and asks about limits that are not enforced.
pub(crate) fn check(schema: &Schema, overlay: &Overlay) -> Result<()> {
    let mut errors = Vec::new();
    for (name, def) in &schema.defs {
        each(&mut def.clone(), &schema.pointer(name), &mut |json, at| {
            let faults = faults(json, schema);
            errors.extend(faults.into_iter().map(|what| schema.fault(at, &what)));
            for (key, set) in unenforced(json) {
                let what = format!(
                    "the generated code does not act on `{key}`, which is {}",
                    json[key]
                );
                schema.ask_repair(overlay, at, &what, &set);
            }
        });
    }
    Error::none(errors)
}

/// Returns the faults of a schema, without its subschemas.
fn faults(json: &Value, schema: &Schema) -> Vec<String> {
    let Some(members) = json.as_object() else {
        return match json {
            Value::Bool(true) => Vec::new(),
            _ => vec!["expected a schema: an object or `true`".to_owned()],
        };
    };
    let form = FORMS.iter().find(|(key, _)| members.contains_key(*key));
    let mut read = COMMENTS.to_vec();
    match form {
        Some((key, beside)) => read.extend(beside.iter().chain([key])),
        None => {
            read.push("type");
            read.extend(kinds(json).into_iter().filter_map(of_type).flatten());
        }
    }
    let mut faults = Vec::new();
    for (key, value) in members {
        let key = key.as_str();
        if LIMITS.contains(&key) {
            continue;
        }
        if !read.contains(&key) {
            let beside = form.map_or("this `type`", |(key, _)| key);
            faults.push(format!(
                "no step reads `{key}` beside {beside}; \
                 to do without it, add a [[repair]] that sets it to null"
            ));
        } else if let Some(what) = malformed(key, value, json, schema) {
            faults.push(format!("`{key}` {what}"));
        }
    }
    faults
}

/// Returns the JSON types that `type` lists.
pub(crate) fn kinds(json: &Value) -> Vec<&str> {
    match json.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => kind.and_then(Value::as_str).into_iter().collect(),
    }
}

/// Returns the other keywords that are supported for a `type`, if the type exists.
fn of_type(kind: &str) -> Option<&'static [&'static str]> {
    Some(match kind {
        "object" => &["additionalProperties", "properties", "required"],
        "array" => &["items", "maxItems"],
        "integer" | "number" => &["maximum", "minimum"],
        "boolean" | "null" | "string" => &[],
        _ => return None,
    })
}

/// Returns the `type` of a value.
pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn malformed(key: &str, value: &Value, json: &Value, schema: &Schema) -> Option<String> {
    let kinds = kinds(json);
    let list = value.as_array().map_or(&[][..], Vec::as_slice);
    let strings = list.iter().all(Value::is_string);
    let fits = |value: &Value| {
        let kind = kind_of(value);
        kinds.is_empty() || kinds.contains(&kind) || kind == "integer" && kinds.contains(&"number")
    };
    let what = match key {
        "$ref" => match referred(json) {
            Some(name) if schema.defs.contains_key(name) => return None,
            Some(name) => return Some(format!("leads nowhere: no definition is called `{name}`")),
            None => "is not `#/$defs/` and the name of a definition",
        },
        "allOf" | "anyOf" | "oneOf" if list.is_empty() => "is not a list of schemas",
        "const" if !fits(value) => "is not of the `type` beside it",
        "enum" if list.is_empty() => "is not a list of values",
        "enum" if !list.iter().all(fits) => "has values that are not of the `type` beside it",
        "type" if kinds.is_empty() || !strings => "is not a type or a list of types",
        "type" if kinds.into_iter().any(|kind| of_type(kind).is_none()) => {
            "is of a type that does not exist"
        }
        "required" if !value.is_array() || !strings => "is not a list of names",
        "properties" if !value.is_object() => "is not an object of schemas",
        "maximum" | "minimum" if !value.is_number() => "is not a number",
        "maxItems" if !value.is_u64() => "is not a count",
        _ => return None,
    };
    Some(what.to_owned())
}

/// Returns limits and defaults that the generated code does not enforce, each with a repair that removes
/// them.
fn unenforced(json: &Value) -> Vec<(&str, Value)> {
    let members = json.as_object().into_iter().flatten();
    let of_integers = kinds(json).contains(&"integer");
    let unread = members.filter(|(key, value)| match key.as_str() {
        "minimum" => of_integers && value.as_f64() != Some(0.0),
        "maximum" => of_integers,
        key => LIMITS.contains(&key),
    });
    unread
        .map(|(key, value)| match value.as_f64() {
            Some(least) if key == "minimum" && least > 0.0 => (key.as_str(), json!({ key: 0 })),
            _ => (key.as_str(), json!({ key: null })),
        })
        .collect()
}
