//! A schema in one phrase.

use super::parts::{alternatives, children, has_keywords, list, referred};
use serde_json::Value;
use std::collections::BTreeSet;

/// Says in plain words what a schema allows, fields inside included.
pub(super) fn words(schema: &Value) -> String {
    phrase(schema, true)
}

/// As [`words`], without the fields of objects.
pub(super) fn brief(schema: &Value) -> String {
    phrase(schema, false)
}

/// The values of an enum, or the alternatives of a union; a reference is one of one.
pub(super) fn choices(schema: &Value) -> BTreeSet<String> {
    let values = list(&schema["enum"]).iter().map(literal);
    let alternatives = alternatives(schema).into_iter().map(words);
    values.chain(alternatives).collect()
}

/// Text as code; marks of code inside are escaped.
pub(super) fn code(text: &str) -> String {
    let text = text.replace('`', "\\u0060").replace('\n', "\\n");
    format!("`{text}`")
}

/// A value as code. A string has quotes where it could be taken for another value.
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
        let parts: Vec<_> = list(&schema["allOf"]).iter().map(words).collect();
        (parts.join(" and "), &["allOf"])
    } else if let (true, Some(items)) = (schema["type"] == "array", schema.get("items")) {
        (
            format!("list of {}", inner(items, fields)),
            &["items", "type"],
        )
    } else {
        (types(schema), &["type"])
    };
    let limits = keywords
        .iter()
        .filter(|(keyword, _)| !used.contains(&keyword.as_str()));
    let limits = limits.map(|(keyword, value)| format!("{keyword} {}", literal(value)));
    let limits: Vec<_> = limits.collect();
    match limits.is_empty() {
        true => base,
        false => format!("{base} ({})", limits.join(", ")),
    }
}

fn types(schema: &Value) -> String {
    match &schema["type"] {
        Value::String(name) if name == "array" => "list".to_owned(),
        Value::String(name) => name.clone(),
        Value::Null => "any JSON".to_owned(),
        names => {
            let names = list(names).iter().filter_map(Value::as_str);
            names.collect::<Vec<_>>().join(" or ")
        }
    }
}

fn object(schema: &Value, fields: bool) -> String {
    let phrase = match schema.get("additionalProperties") {
        None => "object".to_owned(),
        Some(Value::Bool(false)) => "closed object".to_owned(),
        Some(values) if has_keywords(values) => format!("map of {}", inner(values, fields)),
        Some(_) => "open object".to_owned(),
    };
    let inside = children(schema)
        .into_iter()
        .filter_map(|(path, (need, field))| {
            let mark = if need? == "optional" { "?" } else { "" };
            Some(format!("{}{mark}: {}", code(&path[1..]), words(field)))
        });
    let inside: Vec<_> = inside.filter(|_| fields).collect();
    match inside.is_empty() {
        true => phrase,
        false => format!("{phrase} {{{}}}", inside.join(", ")),
    }
}

/// Words of a part of a list or map.
fn inner(schema: &Value, fields: bool) -> String {
    match choices(schema).len() {
        0 | 1 => phrase(schema, fields),
        _ => format!("({})", phrase(schema, fields)),
    }
}

fn joined(schema: &Value) -> String {
    let choices: Vec<_> = choices(schema).into_iter().collect();
    match choices.is_empty() {
        true => "one of several".to_owned(),
        false => choices.join(" | "),
    }
}
