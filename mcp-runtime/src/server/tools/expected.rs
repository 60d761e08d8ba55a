//! Describes the values that a schema expects, in words that a model understands.

use serde::de::Unexpected;
use serde_json::{Map, Number, Value};

use crate::limits::MAX_SCHEMA_REFERENCES;

/// Returns the minimum and the maximum of the Rust integer type that the `format` of a schema
/// names.
pub(super) fn integers(schema: &Map<String, Value>) -> Option<(i128, i128)> {
    Some(match schema.get("format")?.as_str()? {
        "int8" => (i8::MIN.into(), i8::MAX.into()),
        "uint8" => (0, u8::MAX.into()),
        "int16" => (i16::MIN.into(), i16::MAX.into()),
        "uint16" => (0, u16::MAX.into()),
        "int32" => (i32::MIN.into(), i32::MAX.into()),
        "uint32" => (0, u32::MAX.into()),
        "int" | "int64" => (i64::MIN.into(), i64::MAX.into()),
        "uint" | "uint64" => (0, u64::MAX.into()),
        "int128" => (i128::MIN, i128::MAX),
        "uint128" => (0, i128::MAX),
        _ => return None,
    })
}

#[derive(Clone, Debug)]
pub(super) struct Definitions(pub(super) Map<String, Value>);

impl Definitions {
    /// Follows the references of a schema to its definition.
    pub(super) fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let mut schema = schema;
        for _ in 0..MAX_SCHEMA_REFERENCES {
            let reference = schema.get("$ref").and_then(Value::as_str);
            let name = reference.and_then(|it| it.strip_prefix("#/$defs/"));
            match name.and_then(|name| self.0.get(name)) {
                Some(referred) => schema = referred,
                None => break,
            }
        }
        schema
    }

    pub(super) fn expected(&self, schema: &Value) -> String {
        let schema = self.resolve(schema);
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
                return self.expected_of_all(branches);
            }
        }
        match schema.get("type") {
            Some(Value::String(kind)) => of_type(kind, schema),
            Some(Value::Array(kinds)) => {
                let kinds = kinds.iter().filter_map(Value::as_str);
                let kinds = kinds.filter(|kind| *kind != "null");
                one_of(kinds.map(|kind| of_type(kind, schema)))
            }
            _ => "a value".to_owned(),
        }
    }

    /// Describes the values that any of the schemas expects. `null` is left out, because it means
    /// an absent value.
    pub(super) fn expected_of_all(&self, branches: &[Value]) -> String {
        let branches = branches.iter().map(|branch| self.resolve(branch));
        let branches = branches.filter(|branch| branch.get("type").is_none_or(|it| it != "null"));
        one_of(branches.map(|branch| {
            // Don't descend further: nested alternatives may be recursive.
            if branch.get("anyOf").is_some() || branch.get("oneOf").is_some() {
                "a value".to_owned()
            } else {
                self.expected(branch)
            }
        }))
    }
}

fn of_type(kind: &str, schema: &Value) -> String {
    match kind {
        "integer" | "number" => match (kind, bounds(schema).as_str()) {
            ("integer", "") => integer(schema),
            ("integer", bounds) => format!("an integer {bounds}"),
            (_, "") => "a number".to_owned(),
            (_, bounds) => format!("a number {bounds}"),
        },
        "boolean" => "a boolean".to_owned(),
        "string" => "a string".to_owned(),
        "array" => "a list".to_owned(),
        "object" => object(schema),
        other => other.to_owned(),
    }
}

/// Describes an integer without explicit bounds, by its Rust type.
fn integer(schema: &Value) -> String {
    let Some((least, most)) = schema.as_object().and_then(integers) else {
        return "an integer".to_owned();
    };
    if most <= u32::MAX.into() {
        return format!("an integer from {least} to {most}");
    }
    let bits = if most <= u64::MAX.into() { 64 } else { 128 };
    let sign = if least == 0 { "non-negative " } else { "" };
    format!("a {sign}{bits}-bit integer")
}

/// Describes an object, with the tag that distinguishes it from other variants.
fn object(schema: &Value) -> String {
    let Some(members) = properties(schema) else {
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

/// Describes the bounds of a number. The string is empty for a number without bounds.
pub(super) fn bounds(schema: &Value) -> String {
    let mut phrases = Vec::new();
    for (keyword, phrase) in [
        ("minimum", "of at least"),
        ("exclusiveMinimum", "above"),
        ("maximum", "of at most"),
        ("exclusiveMaximum", "below"),
    ] {
        if let Some(bound) = schema.get(keyword).and_then(Value::as_number) {
            phrases.push(format!("{phrase} {}", plain(bound)));
        }
    }
    phrases.join(" and ")
}

/// Formats a number. A fraction of zeros is left out: `1.0` becomes `1`.
pub(super) fn plain(number: &Number) -> String {
    match number.as_f64().filter(|_| number.is_f64()) {
        Some(float) => float.to_string(),
        None => number.to_string(),
    }
}

/// Returns the list under `keyword`, or an empty list.
pub(super) fn list<'a>(schema: &'a Value, keyword: &str) -> &'a [Value] {
    let list = schema.get(keyword).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

pub(super) fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties").and_then(Value::as_object)
}

/// Joins alternatives with "or", without duplicates.
pub(super) fn one_of(words: impl Iterator<Item = String>) -> String {
    let mut distinct: Vec<String> = Vec::new();
    for word in words {
        if !distinct.contains(&word) {
            distinct.push(word);
        }
    }
    let last = distinct.pop().unwrap_or_else(|| "nothing".to_owned());
    if distinct.is_empty() {
        last
    } else {
        format!("{} or {last}", distinct.join(", "))
    }
}

/// Returns true if `one` is less than `other`; integers are compared exactly.
pub(super) fn is_less(one: &Number, other: &Number) -> bool {
    match (one.as_i128(), other.as_i128()) {
        (Some(one), Some(other)) => one < other,
        _ => one.as_f64() < other.as_f64(),
    }
}

/// Describes a value with the words of serde's errors. Scalars and strings are quoted.
pub(super) fn found(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => Unexpected::Bool(*value).to_string(),
        Value::Number(number) if number.is_f64() => format!("floating point `{number}`"),
        Value::Number(number) => format!("integer `{number}`"),
        Value::String(text) => Unexpected::Str(text).to_string(),
        Value::Array(_) => Unexpected::Seq.to_string(),
        Value::Object(_) => Unexpected::Map.to_string(),
    }
}
