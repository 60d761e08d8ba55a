//! A value against the rules of its type.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Rules, definition, list};
use crate::limits::MAX_CHECKED_DEPTH;
use crate::server::handler::fault::Fault;

/// A keyword, how its bound is put into words, and whether a number keeps it.
type Bound = (&'static str, &'static str, fn(f64, f64) -> bool);

/// What was found so far.
pub(super) struct Check<'a> {
    rules: &'a Rules,
    pub(super) faults: Vec<Fault>,
}

impl<'a> Check<'a> {
    pub(super) fn new(rules: &'a Rules) -> Self {
        let faults = Vec::new();
        Self { rules, faults }
    }

    pub(super) fn value(&mut self, schema: &'a Value, value: &Value, path: &str, depth: usize) {
        if depth > MAX_CHECKED_DEPTH {
            return;
        }
        let name = definition(schema);
        if let Some(referred) = name.and_then(|name| self.rules.definitions.get(&name)) {
            self.value(referred, value, path, depth + 1);
        }
        for all in list(schema, "allOf") {
            self.value(all, value, path, depth + 1);
        }
        for keyword in ["anyOf", "oneOf"] {
            self.alternatives(list(schema, keyword), value, path, depth);
        }
        match value {
            Value::Number(number) => self.number(schema, number.as_f64(), path),
            Value::String(text) => self.text(schema, text, path),
            Value::Array(items) => self.items(schema, items, path, depth),
            Value::Object(members) => {
                let keywords = ["minProperties", "maxProperties"];
                self.length(schema, keywords, members.len(), path);
                for (name, member) in members {
                    let known = schema.get("properties").and_then(|known| known.get(name));
                    if let Some(each) = known.or_else(|| schema.get("additionalProperties")) {
                        let inner = match path {
                            "" => name.clone(),
                            path => format!("{path}.{name}"),
                        };
                        self.value(each, member, &inner, depth + 1);
                    }
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn items(&mut self, schema: &'a Value, items: &[Value], path: &str, depth: usize) {
        self.length(schema, ["minItems", "maxItems"], items.len(), path);
        let first = list(schema, "prefixItems");
        for (index, item) in items.iter().enumerate() {
            if let Some(each) = first.get(index).or_else(|| schema.get("items")) {
                self.value(each, item, &format!("{path}[{index}]"), depth + 1);
            }
        }
    }

    /// One alternative without fault is enough; else the first one that has faults tells them.
    /// What is no value of an alternative says nothing about it.
    fn alternatives(&mut self, branches: &'a [Value], value: &Value, path: &str, depth: usize) {
        let mut first = None;
        for branch in branches {
            let name = definition(branch);
            let referred = name.and_then(|name| self.rules.definitions.get(&name));
            if !may_be(branch, value) || !referred.is_none_or(|it| may_be(it, value)) {
                continue;
            }
            let mut check = Check::new(self.rules);
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
                self.fault(path, message);
            }
        }
    }

    fn text(&mut self, schema: &Value, text: &str, path: &str) {
        let length = text.chars().count();
        self.length(schema, ["minLength", "maxLength"], length, path);
        let pattern = schema.get("pattern").and_then(Value::as_str);
        let missed = |pattern: &&str| self.rules.patterns.is_missed(pattern, text);
        if let Some(pattern) = pattern.filter(missed) {
            self.fault(path, format!("does not match the pattern `{pattern}`"));
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
            self.fault(path, message);
        }
    }

    fn fault(&mut self, path: &str, message: String) {
        let path = if path.is_empty() { "arguments" } else { path };
        self.faults.push(Fault::new(path, message));
    }
}

/// Whether `value` has the shape that an alternative describes: its type, its constants, and the
/// members that have to be there.
fn may_be(schema: &Value, value: &Value) -> bool {
    let is = |kind: &Value| match kind.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("integer" | "number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => true,
    };
    let has_type = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(is),
        Some(kind) => is(kind),
        None => true,
    };
    let required = list(schema, "required").iter().filter_map(Value::as_str);
    let known = schema.get("properties").and_then(Value::as_object);
    has_type
        && schema.get("const").is_none_or(|it| it == value)
        && schema
            .get("enum")
            .is_none_or(|_| list(schema, "enum").contains(value))
        && required.into_iter().all(|name| value.get(name).is_some())
        && known.into_iter().flatten().all(|(name, property)| {
            let member = value.get(name);
            member.is_none_or(|member| property.get("const").is_none_or(|it| it == member))
        })
}
