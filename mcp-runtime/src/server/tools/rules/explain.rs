//! Every fault of a value that could not be decoded, by the schema of its type.
//!
//! A decoder stops at the first fault. What it says is put beside this where the schema does not
//! know of it.

use serde::de::Unexpected;
use serde_json::{Map, Value};

use super::words::{expected, members, one_of_all, referred};
use super::{list, one_of};
use crate::limits::{MAX_CHECKED_DEPTH, MAX_CHECKED_VALUES, MAX_FOUND_FAULTS};
use crate::server::handler::fault::Fault;

/// What was found so far.
pub(super) struct Explain<'a> {
    definitions: &'a Map<String, Value>,
    /// How many more values are looked at.
    pub(super) left: usize,
    pub(super) faults: Vec<Fault>,
}

impl<'a> Explain<'a> {
    pub(super) fn new(definitions: &'a Map<String, Value>) -> Self {
        Self {
            definitions,
            left: MAX_CHECKED_VALUES,
            faults: Vec::new(),
        }
    }

    /// Adds what is wrong with `value`, which stands at `path`.
    pub(super) fn value(&mut self, schema: &'a Value, value: &Value, path: &str, depth: usize) {
        if depth > MAX_CHECKED_DEPTH || self.left == 0 || self.faults.len() >= MAX_FOUND_FAULTS {
            return;
        }
        self.left -= 1;
        let whole = referred(schema, self.definitions);
        if !std::ptr::eq(whole, schema) {
            self.value(whole, value, path, depth + 1);
        }
        for part in list(schema, "allOf") {
            self.value(part, value, path, depth + 1);
        }
        for keyword in ["anyOf", "oneOf"] {
            self.alternatives(list(schema, keyword), value, path, depth);
        }
        if let Some(problem) = problem(schema, value) {
            let words = expected(schema, self.definitions);
            let message = format!("{problem}: {}, expected {words}", found(value));
            return self.fault(path, message);
        }
        match value {
            Value::Array(items) => {
                let first = list(schema, "prefixItems");
                for (index, item) in items.iter().enumerate() {
                    if let Some(each) = first.get(index).or_else(|| schema.get("items")) {
                        self.value(each, item, &format!("{path}[{index}]"), depth + 1);
                    }
                }
            }
            Value::Object(given) => self.object(schema, given, path, depth),
            _ => {}
        }
    }

    fn object(&mut self, schema: &'a Value, given: &Map<String, Value>, path: &str, depth: usize) {
        let known = members(schema);
        let inside = |name: &str| match path {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        };
        for name in list(schema, "required").iter().filter_map(Value::as_str) {
            if !given.contains_key(name) {
                let member = known.and_then(|known| known.get(name));
                let words =
                    member.map_or("a value".to_owned(), |it| expected(it, self.definitions));
                self.fault(&inside(name), format!("missing, expected {words}"));
            }
        }
        for (name, member) in given {
            let own = known.and_then(|known| known.get(name));
            match own.or_else(|| schema.get("additionalProperties")) {
                Some(Value::Bool(false)) => {
                    let names = known.into_iter().flat_map(Map::keys);
                    let names = one_of(names.map(|name| format!("`{name}`")));
                    let message = format!("unknown field `{name}`, expected {names}");
                    self.fault(&inside(name), message);
                }
                Some(each) => self.value(each, member, &inside(name), depth + 1),
                None => {}
            }
        }
    }

    /// One alternative without fault is enough; else the one that was most likely meant has its
    /// faults told.
    fn alternatives(&mut self, branches: &'a [Value], value: &Value, path: &str, depth: usize) {
        if branches.is_empty() {
            return;
        }
        let whole = |branch: &&'a Value| referred(branch, self.definitions);
        let of_kind = branches.iter().filter(|it| has_type(whole(it), value));
        let of_kind: Vec<_> = of_kind.collect();
        let meant = of_kind.iter().filter(|it| has_tag(whole(it), value));
        let mut meant: Vec<_> = meant.copied().collect();
        if meant.is_empty() && of_kind.len() == 1 {
            meant = of_kind.clone();
        }
        let mut fewest: Option<Vec<Fault>> = None;
        for branch in meant {
            let mut inner = Self {
                left: self.left,
                ..Self::new(self.definitions)
            };
            inner.value(branch, value, path, depth + 1);
            self.left = inner.left;
            if inner.faults.is_empty() {
                return;
            }
            if fewest
                .as_ref()
                .is_none_or(|it| inner.faults.len() < it.len())
            {
                fewest = Some(inner.faults);
            }
        }
        match fewest {
            Some(mut faults) => self.faults.append(&mut faults),
            None => {
                let problem = if of_kind.is_empty() { "type" } else { "value" };
                let (words, found) = (one_of_all(branches, self.definitions), found(value));
                self.fault(
                    path,
                    format!("invalid {problem}: {found}, expected {words}"),
                );
            }
        }
    }

    fn fault(&mut self, path: &str, message: String) {
        let path = if path.is_empty() { "arguments" } else { path };
        self.faults.push(Fault::new(path, message));
    }
}

/// What is wrong with a value, whatever it contains.
fn problem(schema: &Value, value: &Value) -> Option<&'static str> {
    let is_other = |known: &Value| known != value;
    if !has_type(schema, value) {
        Some("invalid type")
    } else if schema.get("const").is_some_and(is_other)
        || (schema.get("enum").is_some() && !list(schema, "enum").contains(value))
        || !is_in_range(schema, value)
    {
        Some("invalid value")
    } else {
        None
    }
}

/// Whether a value has the type that a schema names; a whole number is an integer, however it is
/// written.
fn has_type(schema: &Value, value: &Value) -> bool {
    let is = |kind: &Value| match kind.as_str() {
        Some("null") => value.is_null(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.as_f64().is_some_and(|it| it.fract() == 0.0),
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => true,
    };
    match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(is),
        Some(kind) => is(kind),
        None => true,
    }
}

/// Whether a value has what tells an alternative from others: a constant, a member that is one, or
/// the only member that there is.
fn has_tag(schema: &Value, value: &Value) -> bool {
    let is_it = |known: &Value| known == value;
    let has = |(name, member): (&String, &Value)| {
        let constant = member.get("const");
        constant.is_none_or(|constant| value.get(name) == Some(constant))
    };
    let known = members(schema);
    let only = known.filter(|known| known.len() == 1 && list(schema, "required").len() == 1);
    schema.get("const").is_none_or(is_it)
        && (schema.get("enum").is_none() || list(schema, "enum").contains(value))
        && known.is_none_or(|known| known.iter().all(has))
        && only.is_none_or(|only| only.keys().all(|name| value.get(name).is_some()))
}

/// Whether an integer is one of the type of Rust that its schema names.
fn is_in_range(schema: &Value, value: &Value) -> bool {
    let format = schema.get("format").and_then(Value::as_str);
    let number = value.as_i64().map(i128::from);
    let Some(number) = number.or_else(|| value.as_u64().map(i128::from)) else {
        return true;
    };
    match format {
        Some("int8") => i8::try_from(number).is_ok(),
        Some("int16") => i16::try_from(number).is_ok(),
        Some("int32") => i32::try_from(number).is_ok(),
        Some("int" | "int64") => i64::try_from(number).is_ok(),
        Some("uint8") => u8::try_from(number).is_ok(),
        Some("uint16") => u16::try_from(number).is_ok(),
        Some("uint32") => u32::try_from(number).is_ok(),
        Some("uint" | "uint64" | "uint128") => number >= 0,
        _ => true,
    }
}

/// A value in the words of serde, which quote it if it is short.
fn found(value: &Value) -> String {
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
