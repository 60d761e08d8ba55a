//! Describes a schema in one phrase.

use super::parts::{alternatives, children, has_keywords, list, referred};
use itertools::Itertools;
use serde_json::Value;
use std::collections::BTreeSet;

/// Describes the values that a schema allows, including its fields.
pub(super) fn words(schema: &Value) -> String {
    phrase(schema, true)
}

/// Describes a schema like [`words`], but without the fields of objects.
pub(super) fn brief(schema: &Value) -> String {
    phrase(schema, false)
}

/// Returns the values of an enum, or the alternatives of a union. A reference is treated as a union with
/// one alternative.
pub(super) fn choices(schema: &Value) -> BTreeSet<String> {
    let values = list(&schema["enum"]).iter().map(literal);
    let alternatives = alternatives(schema).into_iter().map(words);
    values.chain(alternatives).collect()
}

/// Formats text as code, and escapes the backticks in it.
pub(super) fn code(text: &str) -> String {
    let text = text.replace('`', "\\u0060").replace('\n', "\\n");
    format!("`{text}`")
}

/// Formats a value as code. A string has quotes only if it could be mistaken for another value.
fn literal(value: &Value) -> String {
    match value {
        Value::String(text) if serde_json::from_str::<Value>(text).is_err() => code(text),
        other => code(&other.to_string()),
    }
}

fn phrase(schema: &Value, fields: bool) -> String {
    let Value::Object(keywords) = schema else {
        let nothing = *schema == Value::Bool(false);
        return if nothing { "nothing" } else { "any JSON" }.to_owned();
    };
    let has = |keyword| schema.get(keyword).is_some();
    let (base, used): (_, &[&str]) = if let Some(name) = referred(schema) {
        (code(name), &["$ref"])
    } else if let Some(value) = schema.get("const") {
        (format!("always {}", literal(value)), &["const", "type"])
    } else if has("enum") {
        (joined(schema), &["enum", "type"])
    } else if has("properties") || schema["type"] == "object" {
        let used = &["type", "properties", "required", "additionalProperties"];
        (object(schema, fields), used)
    } else if has("anyOf") {
        (joined(schema), &["anyOf"])
    } else if has("oneOf") {
        (format!("exactly {}", joined(schema)), &["oneOf"])
    } else if has("allOf") {
        let mut parts = list(&schema["allOf"]).iter().map(words);
        (parts.join(" and "), &["allOf"])
    } else if let (true, Some(items)) = (schema["type"] == "array", schema.get("items")) {
        (
            format!("list of {}", inner(items, fields)),
            &["items", "type"],
        )
    } else {
        (types(schema), &["type"])
    };
    let limits = keywords.iter();
    let limits = limits.filter(|(keyword, _)| !used.contains(&keyword.as_str()));
    let mut limits = limits.map(|(keyword, value)| format!("{keyword} {}", literal(value)));
    match limits.join(", ").as_str() {
        "" => base,
        limits => format!("{base} ({limits})"),
    }
}

fn types(schema: &Value) -> String {
    match &schema["type"] {
        Value::String(name) if name == "array" => "list".to_owned(),
        Value::String(name) => name.clone(),
        Value::Null => "any JSON".to_owned(),
        names => list(names).iter().filter_map(Value::as_str).join(" or "),
    }
}

fn object(schema: &Value, fields: bool) -> String {
    let phrase = match schema.get("additionalProperties") {
        None => "object".to_owned(),
        Some(Value::Bool(false)) => "closed object".to_owned(),
        Some(values) if has_keywords(values) => format!("map of {}", inner(values, fields)),
        Some(_) => "open object".to_owned(),
    };
    if !fields {
        return phrase;
    }
    let inside = children(schema).into_iter();
    let mut inside = inside.filter_map(|(path, (need, field))| {
        let mark = if need? == "optional" { "?" } else { "" };
        Some(format!("{}{mark}: {}", code(&path[1..]), words(field)))
    });
    match inside.join(", ").as_str() {
        "" => phrase,
        inside => format!("{phrase} {{{inside}}}"),
    }
}

fn inner(schema: &Value, fields: bool) -> String {
    match choices(schema).len() {
        0 | 1 => phrase(schema, fields),
        _ => format!("({})", phrase(schema, fields)),
    }
}

fn joined(schema: &Value) -> String {
    match choices(schema).iter().join(" | ").as_str() {
        "" => "one of several".to_owned(),
        choices => choices.to_owned(),
    }
}
