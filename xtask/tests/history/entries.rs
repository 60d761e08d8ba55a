//! Entries of `overlay.toml`, identified by kind and place.

use std::fmt;
use toml::{Table, Value};

/// Members that identify an entry among the entries of one kind.
const PLACES: [&str; 8] = ["at", "from", "type", "method", "key", "old", "name", "part"];

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) kind: String,
    pub(crate) place: String,
    value: Value,
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.place)
    }
}

impl Entry {
    pub(crate) fn is(&self, kind: &str, place: &str) -> bool {
        self.kind == kind && self.place == place
    }

    /// Returns true if this entry answers the question for which `asked` was proposed.
    pub(crate) fn answers(&self, asked: &Self) -> bool {
        if self.kind == "first" && asked.kind == "order" {
            let fields = asked.value["fields"].as_array().unwrap();
            return fields
                .iter()
                .any(|field| field.as_str() == Some(&self.place));
        }
        if self.kind == "drop" && asked.kind == "keep" {
            return self.place == asked.place;
        }
        if self.kind == "capability" && asked.kind == "capability" {
            let method = asked.place.split(' ').next();
            return self.place == asked.place || Some(&*self.place) == method;
        }
        let general = asked
            .place
            .split_once('.')
            .map(|(_, field)| format!("*.{field}"));
        let is_there = self.place == asked.place || Some(&self.place) == general.as_ref();
        self.kind == asked.kind && is_there
    }
}

pub(crate) fn read(text: &str) -> Vec<Entry> {
    let table: Table = text
        .parse()
        .unwrap_or_else(|error| panic!("{error}:\n{text}"));
    let mut entries = Vec::new();
    for (kind, value) in table {
        let mut add = |place: String, value| {
            let kind = kind.clone();
            entries.push(Entry { kind, place, value });
        };
        match value {
            Value::Table(words) => words
                .into_iter()
                .for_each(|(place, value)| add(place, value)),
            Value::Array(values) => {
                for value in values {
                    add(place(&value), value);
                }
            }
            other => panic!("{kind}: {other}"),
        }
    }
    entries
}

pub(crate) fn write(entries: &[Entry]) -> String {
    let mut table = Table::new();
    for Entry { kind, place, value } in entries {
        let is_word = matches!(kind.as_str(), "field" | "acronyms");
        let empty = if is_word {
            Value::Table(Table::new())
        } else {
            Value::Array(Vec::new())
        };
        match table.entry(kind).or_insert(empty) {
            Value::Table(words) => drop(words.insert(place.clone(), value.clone())),
            Value::Array(values) => values.push(value.clone()),
            other => panic!("{kind}: {other}"),
        }
    }
    toml::to_string(&table).unwrap()
}

/// Returns the place of an entry. For a capability, it includes the side, because a method may need a
/// capability of each side.
fn place(value: &Value) -> String {
    let Value::Table(members) = value else {
        return value.as_str().unwrap().to_owned();
    };
    let member = |name: &str| members.get(name).and_then(Value::as_str);
    let place = PLACES.iter().find_map(|name| member(name)).unwrap();
    match member("of") {
        Some(side) => format!("{place} {side}"),
        None => place.to_owned(),
    }
}
