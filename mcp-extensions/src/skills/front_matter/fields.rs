//! Fields as JSON.

use mcp_runtime::types::JsonObject;
use serde_json::Value;

use super::hosts::is_special;

/// Returns true if both have the same fields with the same values, in any order. Numbers are
/// compared by value: 1 is 1.0.
pub(in crate::skills) fn is_same(one: &JsonObject, other: &JsonObject) -> bool {
    let is_in_other = |(key, value)| other.get(key).is_some_and(|it| is_equal(value, it));
    one.len() == other.len() && one.iter().all(is_in_other)
}

fn is_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => is_same(one, other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, it)| is_equal(one, it))
        }
        (Value::Number(one), Value::Number(other)) if one.is_f64() || other.is_f64() => {
            one.as_f64() == other.as_f64()
        }
        _ => one == other,
    }
}

/// Writes front matter with a line for each field. Its value is JSON, which is also YAML, with
/// escapes for what a host would refuse.
pub(in crate::skills) fn write(fields: &JsonObject) -> String {
    let mut text = String::new();
    for (key, value) in fields {
        let bare = matches!(key.as_str(), "name" | "description");
        let key = if bare {
            key.clone()
        } else {
            Value::from(key.as_str()).to_string()
        };
        text += &format!("{key}: {value}\n");
    }
    for special in text.clone().chars().filter(|it| is_special(*it)) {
        text = text.replace(special, &format!("\\u{:04x}", u32::from(special)));
    }
    format!("---\n{text}---\n")
}
