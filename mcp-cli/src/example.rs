//! Examples of calls: values that a schema accepts, and the words that write them on the command
//! line.

use std::cell::Cell;

use mcp_runtime::types::{RawJson, Tool};
use regex_lite::Regex;
use serde_json::{Map, Value, json};

use crate::limits::{
    CHECKED_LEVELS, EXAMPLE_CHARS, EXAMPLE_ELEMENTS, EXAMPLE_VALUES, LISTED_SHAPES,
};
use crate::schema::{Schema, below, document};
use crate::tool_arguments::read;

/// The numbers of values and of levels that may still be tried. A schema may contain itself.
type Tries<'a> = (&'a Cell<usize>, usize);

/// The words of a call that the schema of a tool accepts, with all required arguments.
///
/// Returns `None` if no such call is found.
pub(crate) fn of_tool(tool: &Tool) -> Option<Vec<String>> {
    let document = document(tool.input_schema.as_raw(), 0);
    let schema = Schema::new(&document);
    let tries = (&Cell::new(EXAMPLE_VALUES), CHECKED_LEVELS);
    let shapes = schema.alternatives().filter(Schema::has_objects);
    let mut shapes = shapes.take(LISTED_SHAPES);
    let value = shapes.find_map(|it| object(&it, tries))?;
    let mut in_words = Vec::new();
    words("", &value, &mut in_words);
    [in_words, vec![value.to_string()]].into_iter().find(|it| {
        let sent = read(tool, it, None);
        sent.is_ok_and(|it| it.parse::<Value>().is_ok_and(|it| it == value))
    })
}

/// Writes a value as words. Objects without members are written as JSON.
fn words(key: &str, value: &Value, words_of_all: &mut Vec<String>) {
    match value {
        Value::Object(members) if !members.is_empty() || key.is_empty() => {
            for (name, value) in members {
                words(&below(key, name), value, words_of_all);
            }
        }
        Value::Array(list)
            if !list.is_empty() && list.iter().all(|it| !it.is_array() && !it.is_object()) =>
        {
            list.iter().for_each(|it| words(key, it, words_of_all));
        }
        Value::String(text) if !text.starts_with('@') => words_of_all.push(format!("{key}={text}")),
        Value::String(_) => words_of_all.push(format!("{key}:={value}")),
        value => words_of_all.push(format!("{key}={value}")),
    }
}

/// A value that the schema accepts, null only if nothing else is. `name` is the text of a string
/// without other rules, and `nth` makes the elements of a list different.
fn value(schema: &Schema<'_>, name: &str, nth: usize, (left, levels): Tries<'_>) -> Option<Value> {
    left.set(left.get().checked_sub(1)?);
    let tries = (left, levels.checked_sub(1)?);
    let mut shapes: Vec<_> = schema.alternatives().take(LISTED_SHAPES).collect();
    shapes.sort_by_key(|it| it.kinds() == ["null"]);
    shapes.iter().find_map(|it| one(it, name, nth, tries))
}

/// A value that the only alternative of a schema accepts.
fn one(schema: &Schema<'_>, name: &str, nth: usize, tries: Tries<'_>) -> Option<Value> {
    let examples = schema.get("examples").and_then(Value::as_array);
    let examples = examples.into_iter().flatten().chain(schema.get("example"));
    let choices: Vec<_> = schema.choices().into_iter().map(|it| it.0).collect();
    let choices = choices.iter().cycle().skip(nth).take(choices.len());
    let stated = examples.chain(schema.get("default"));
    let mut stated = stated.chain(choices.copied()).filter(|it| !it.is_null());
    if let Some(value) = stated.find(|it| fits(schema, it)) {
        return Some(value.clone());
    }
    let mut kinds = schema.kinds();
    kinds.sort_by_key(|it| *it == "null");
    if kinds.is_empty() {
        kinds.push("string");
    }
    kinds.into_iter().find_map(|kind| {
        let candidates = match kind {
            "object" => object(schema, tries).into_iter().collect(),
            "array" => list(schema, name, tries).into_iter().collect(),
            "integer" | "number" => numbers(schema, kind, nth),
            "string" => strings(schema, name, nth),
            "boolean" => vec![json!(true)],
            _ => vec![Value::Null],
        };
        candidates.into_iter().find(|it| fits(schema, it))
    })
}

/// Whether a schema accepts a value, also by the keywords that are left to the server in calls.
fn fits(schema: &Schema<'_>, value: &Value) -> bool {
    let limit = |keyword| schema.get(keyword).and_then(Value::as_f64);
    let is_right_number = value.as_f64().is_none_or(|it| {
        limit("exclusiveMinimum").is_none_or(|least| it > least)
            && limit("exclusiveMaximum").is_none_or(|most| it < most)
            && limit("multipleOf").is_none_or(|step| it % step == 0.0)
    });
    let pattern = schema.get("pattern").and_then(Value::as_str);
    let is_match = |text| pattern.is_none_or(|it| Regex::new(it).is_ok_and(|it| it.is_match(text)));
    is_right_number
        && value.as_str().is_none_or(is_match)
        && schema.check(&RawJson::encode(value), "").is_empty()
}

/// An object with the required members.
fn object(schema: &Schema<'_>, tries: Tries<'_>) -> Option<Value> {
    let mut members = Map::new();
    for name in schema.required() {
        let member = schema.member(name).unwrap_or_else(|| schema.open());
        members.insert(name.to_owned(), value(&member, name, 0, tries)?);
    }
    Some(Value::Object(members))
}

/// A list with at least one element, if it may have one.
fn list(schema: &Schema<'_>, name: &str, tries: Tries<'_>) -> Option<Value> {
    let length = |keyword| schema.get(keyword).and_then(Value::as_array).map(Vec::len);
    let tuple = length("prefixItems").or(length("items")).unwrap_or(1);
    let least = size(schema, "minItems").unwrap_or(0).max(tuple);
    let count = least.min(size(schema, "maxItems").unwrap_or(least));
    let mut list = Vec::new();
    for index in 0..count.min(EXAMPLE_ELEMENTS) {
        let item = schema.item(index).unwrap_or_else(|| schema.open());
        list.push(value(&item, name, index, tries)?);
    }
    Some(Value::Array(list))
}

fn size(schema: &Schema<'_>, keyword: &'static str) -> Option<usize> {
    usize::try_from(schema.get(keyword)?.as_u64()?).ok()
}

/// Small numbers, and numbers at and between the limits of a schema.
fn numbers(schema: &Schema<'_>, kind: &str, nth: usize) -> Vec<Value> {
    let limit = |keyword| schema.get(keyword).and_then(Value::as_f64);
    let step = limit("multipleOf").filter(|it| *it > 0.0).unwrap_or(1.0);
    let most = limit("maximum").or(limit("exclusiveMaximum"));
    let least = limit("minimum").or(limit("exclusiveMinimum"));
    let low = least.or(most.map(|it| it - step)).unwrap_or(0.0);
    let middle = (low + most.unwrap_or(low)) / 2.0;
    let (nth, first) = (nth as f64, (low / step).ceil() * step);
    let candidates = [1.0 + nth, first + nth * step, first + step, first, middle];
    let value = |it: f64| match it {
        it if it.fract() == 0.0 && it.abs() < 1e15 => Some(json!(it as i64)),
        it => (kind == "number").then(|| json!(it)),
    };
    candidates.into_iter().filter_map(value).collect()
}

/// A string of the format, or else the name in capitals, in the length that a schema requires.
fn strings(schema: &Schema<'_>, name: &str, nth: usize) -> Vec<Value> {
    let format = schema.get("format").and_then(Value::as_str);
    let of_format = match format.unwrap_or_default() {
        "date" => "2026-01-31",
        "date-time" => "2026-01-31T12:00:00Z",
        "time" => "12:00:00Z",
        "duration" => "P1D",
        "email" => "ada@example.com",
        "hostname" => "example.com",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "uri" | "url" => "https://example.com/",
        "uuid" => "123e4567-e89b-12d3-a456-426614174000",
        _ => "",
    };
    if !of_format.is_empty() {
        return vec![json!(of_format)];
    }
    let is_word = |it: char| it.is_ascii_alphanumeric() || "_-".contains(it);
    let is_word = !name.is_empty() && name.chars().all(is_word);
    let mut text = if is_word { name } else { "text" }.to_uppercase();
    if nth > 0 {
        text += &(nth + 1).to_string();
    }
    let least = size(schema, "minLength").unwrap_or(0).min(EXAMPLE_CHARS);
    let length = text.chars().count().max(least);
    let length = length.min(size(schema, "maxLength").unwrap_or(length));
    let text: String = text.chars().cycle().take(length).collect();
    vec![json!(text), json!(text.to_lowercase())]
}
