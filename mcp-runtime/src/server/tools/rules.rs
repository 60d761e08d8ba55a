//! What a schema says of values beyond their types, enforced for a struct that takes all arguments.
//!
//! The struct's fields get their rules from attributes of schemars, which only describe. Whatever
//! else is wrong with a value, the decoder finds.

use std::fmt::Write as _;

use serde_json::Value;

use super::pattern;
use crate::server::handler::fault::{Fault, Faults};

/// What is looked at.
const KEYWORDS: [&str; 11] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
];

/// A keyword, how its bound is put into words, and whether a number keeps it.
type Bound = (&'static str, &'static str, fn(f64, f64) -> bool);

/// How many values may stand in each other; deeper ones are not looked at.
const DEEPEST: usize = 64;

/// Whether `schema` has rules at all.
pub(super) fn are_in(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members
            .iter()
            .any(|(key, member)| KEYWORDS.contains(&key.as_str()) || are_in(member)),
        Value::Array(items) => items.iter().any(are_in),
        _ => false,
    }
}

/// Adds what is wrong with the object `text` to `faults`, but for members that have some already.
pub(super) fn check(schema: &Value, text: &str, faults: &mut Faults) {
    let Ok(Value::Object(members)) = serde_json::from_str(text) else {
        return;
    };
    for (name, value) in &members {
        if let Some(property) = schema["properties"].get(name)
            && !faults.are_of(name)
        {
            let mut check = Check {
                root: schema,
                faults: Vec::new(),
            };
            check.value(property, value, name, 0);
            check
                .faults
                .into_iter()
                .for_each(|fault| faults.push(fault));
        }
    }
}

struct Check<'a> {
    root: &'a Value,
    faults: Vec<Fault>,
}

impl<'a> Check<'a> {
    fn value(&mut self, schema: &'a Value, value: &Value, path: &str, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        let reference = schema.get("$ref").and_then(Value::as_str);
        let referred = reference.and_then(|text| self.root.pointer(text.strip_prefix('#')?));
        if let Some(referred) = referred {
            self.value(referred, value, path, depth + 1);
        }
        for alternatives in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = schema.get(alternatives) {
                self.alternatives(branches, value, path, depth);
            }
        }
        match value {
            Value::Number(number) => self.number(schema, number.as_f64(), path),
            Value::String(text) => self.text(schema, text, path),
            Value::Array(items) => {
                self.length(schema, ["minItems", "maxItems"], items.len(), path);
                for (index, item) in items.iter().enumerate() {
                    if let Some(each) = schema.get("items") {
                        self.value(each, item, &format!("{path}[{index}]"), depth + 1);
                    }
                }
            }
            Value::Object(members) => {
                let keywords = ["minProperties", "maxProperties"];
                self.length(schema, keywords, members.len(), path);
                for (name, member) in members {
                    let known = schema.get("properties").and_then(|known| known.get(name));
                    if let Some(each) = known.or_else(|| schema.get("additionalProperties")) {
                        self.value(each, member, &format!("{path}.{name}"), depth + 1);
                    }
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// One alternative without fault is enough; else the first one that has faults tells them.
    fn alternatives(&mut self, branches: &'a [Value], value: &Value, path: &str, depth: usize) {
        let mut first = None;
        for branch in branches {
            if branch.get("type").is_some_and(|kind| kind == "null") && !value.is_null() {
                continue;
            }
            let mut check = Check {
                root: self.root,
                faults: Vec::new(),
            };
            check.value(branch, value, path, depth + 1);
            if check.faults.is_empty() {
                return;
            }
            first.get_or_insert(check.faults);
        }
        self.faults.extend(first.unwrap_or_default());
    }

    fn number(&mut self, schema: &Value, number: Option<f64>, path: &str) {
        let Some(number) = number else {
            return;
        };
        let bounds: [Bound; 4] = [
            ("minimum", "of at least", |number, bound| number >= bound),
            ("exclusiveMinimum", "above", |number, bound| number > bound),
            ("maximum", "of at most", |number, bound| number <= bound),
            ("exclusiveMaximum", "below", |number, bound| number < bound),
        ];
        for (keyword, phrase, keeps) in bounds {
            let bound = schema.get(keyword).and_then(Value::as_f64);
            if let Some(bound) = bound.filter(|bound| !keeps(number, *bound)) {
                let message = format!("out of range: {number}, expected a number {phrase} {bound}");
                self.faults.push(Fault::new(path, message));
            }
        }
    }

    fn text(&mut self, schema: &Value, text: &str, path: &str) {
        let length = text.chars().count();
        self.length(schema, ["minLength", "maxLength"], length, path);
        let pattern = schema.get("pattern").and_then(Value::as_str);
        if let Some(pattern) = pattern.filter(|pattern| pattern::is_missed(pattern, text)) {
            let message = format!("does not match the pattern `{pattern}`");
            self.faults.push(Fault::new(path, message));
        }
    }

    fn length(&mut self, schema: &Value, [least, most]: [&str; 2], length: usize, path: &str) {
        let bound = |keyword| schema.get(keyword).and_then(Value::as_u64);
        let length = length as u64;
        let mut message = String::new();
        if let Some(least) = bound(least).filter(|least| length < *least) {
            _ = write!(message, "too short: {length}, expected at least {least}");
        } else if let Some(most) = bound(most).filter(|most| length > *most) {
            _ = write!(message, "too long: {length}, expected at most {most}");
        }
        if !message.is_empty() {
            self.faults.push(Fault::new(path, message));
        }
    }
}
