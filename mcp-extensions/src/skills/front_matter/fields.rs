//! Fields as JSON.

use std::collections::BTreeSet;

use mcp_runtime::types::JsonObject;
use serde_json::Value;

/// Returns the names of the fields that only one of both has, or with another value. Numbers are
/// compared by value: 1 is 1.0.
pub(in crate::skills) fn differences(one: &JsonObject, other: &JsonObject) -> BTreeSet<String> {
    let differs = |key: &&String| {
        let values = one.get(*key).zip(other.get(*key));
        values.is_none_or(|(one, other)| !is_equal(one, other))
    };
    let keys = one.keys().chain(other.keys());
    keys.filter(differs).cloned().collect()
}

fn is_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => differences(one, other).is_empty(),
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
/// escapes for characters that FastMCP refuses or reads as the end of a line.
pub(in crate::skills) fn write(fields: &JsonObject) -> String {
    let mut text = String::new();
    for (key, value) in fields {
        let quoted = Value::from(key.as_str()).to_string();
        let is_bare = matches!(key.as_str(), "name" | "description");
        text += &format!("{}: {value}\n", if is_bare { key } else { &quoted });
    }
    let escape = |it: char| match it {
        '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}' => {
            format!("\\u{:04x}", u32::from(it))
        }
        _ => it.to_string(),
    };
    format!("---\n{}---\n", text.chars().map(escape).collect::<String>())
}
