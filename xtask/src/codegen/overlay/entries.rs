//! Entries of one kind in `overlay.toml`, which record whether they were used.

use anyhow::ensure;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::cell::Cell;
use std::collections::BTreeMap;
use toml::Value;

/// Members that identify an entry. The first of these that an entry has is its key.
const KEYS: [&str; 8] = ["at", "from", "key", "method", "old", "name", "part", "type"];

/// Members that explain an entry. Each entry has one of them, which is not empty.
const REASONS: [&str; 3] = ["reason", "source", "since"];

/// The entries of one kind. An entry is used once it is returned.
#[derive(Debug, Deserialize)]
#[serde(bound = "T: DeserializeOwned")]
pub(crate) struct Entries<T>(Vec<Entry<T>>);

/// An entry of `overlay.toml`.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Value", bound = "T: DeserializeOwned")]
struct Entry<T> {
    key: String,
    value: T,
    used: Cell<bool>,
}

impl<T: DeserializeOwned> TryFrom<Value> for Entry<T> {
    type Error = anyhow::Error;

    fn try_from(mut value: Value) -> anyhow::Result<Self> {
        let key = match &mut value {
            Value::Table(members) => {
                let reason = REASONS.iter().find_map(|name| members.get(*name)?.as_str());
                ensure!(
                    reason.is_some_and(|reason| !reason.trim().is_empty()),
                    "an entry says why it is there, in a `reason` or `source` that is not empty"
                );
                // The reasons are only for readers.
                members.remove("reason");
                members.remove("source");
                KEYS.iter().find_map(|name| members.get(*name)?.as_str())
            }
            word => word.as_str(),
        };
        Ok(Self {
            key: key.unwrap_or_default().to_owned(),
            value: value.try_into()?,
            used: Cell::default(),
        })
    }
}

impl<T> Entry<T> {
    fn hand_out(&self) -> &T {
        self.used.set(true);
        &self.value
    }
}

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Entries<T> {
    /// Adds an entry, which need not match anything.
    pub(crate) fn add(&mut self, key: String, value: T) {
        let used = Cell::new(true);
        self.0.push(Entry { key, value, used });
    }

    /// Adds the entries of another file, which need not match anything here.
    pub(crate) fn inherit(&mut self, other: Self) {
        other.0.iter().for_each(|entry| entry.used.set(true));
        self.0.extend(other.0);
    }

    pub(crate) fn retain(&mut self, matches: impl Fn(&T) -> bool) {
        self.0.retain(|entry| matches(&entry.value));
    }

    /// Returns the entries that match, and marks them as used.
    pub(crate) fn matching(&self, matches: impl Fn(&T) -> bool) -> impl Iterator<Item = &T> {
        let found = self.0.iter().filter(move |entry| matches(&entry.value));
        found.map(Entry::hand_out)
    }

    /// Returns true if an entry matches, without marking it as used.
    pub(crate) fn has(&self, matches: impl Fn(&T) -> bool) -> bool {
        self.0.iter().any(|entry| matches(&entry.value))
    }

    /// Returns the entry for `key`, and marks it as used.
    pub(crate) fn find(&self, key: &str) -> Option<&T> {
        self.0
            .iter()
            .find(|entry| entry.key == key)
            .map(Entry::hand_out)
    }

    /// Returns the entry for the field at `place`. An entry for the place takes precedence over an entry
    /// for `*.field`.
    pub(crate) fn at(&self, place: &str) -> Option<&T> {
        let general = || self.find(&format!("*.{}", place.split_once('.')?.1));
        self.find(place).or_else(general)
    }

    /// Returns the unused entries, as `kind: key`.
    pub(crate) fn unused(&self, kind: &str) -> Vec<String> {
        let unused = self.0.iter().filter(|entry| !entry.used.get());
        unused
            .map(|entry| format!("{kind}: {}", entry.key))
            .collect()
    }
}

#[derive(Debug)]
pub(crate) struct Word {
    pub(crate) from: String,
    pub(crate) to: String,
}

pub(crate) fn words<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Entries<Word>, D::Error> {
    let words = BTreeMap::<String, String>::deserialize(deserializer)?;
    let words = words.into_iter().map(|(from, to)| Entry {
        key: from.clone(),
        value: Word { from, to },
        used: Cell::default(),
    });
    Ok(Entries(words.collect()))
}

#[cfg(test)]
mod tests {
    use crate::codegen::overlay::file::Overlay;

    #[test]
    fn entries_that_nothing_asked_for_are_left() {
        let overlay = "first = ['Tool.name', '*.name', '*.title']";
        let entries = toml::from_str::<Overlay>(overlay).unwrap().first;
        assert_eq!(entries.at("Tool.name").unwrap(), "Tool.name");
        assert_eq!(entries.unused("raw"), ["raw: *.name", "raw: *.title"]);
        assert_eq!(entries.at("Prompt.name").unwrap(), "*.name");
        assert_eq!(entries.at("Prompt.text"), None);
        assert_eq!(entries.unused("raw"), ["raw: *.title"]);
    }

    #[test]
    fn an_entry_says_why_it_is_there() {
        let read = |text: &str| toml::from_str::<Overlay>(text).map_err(|error| error.to_string());
        let overlay = read("[[keep]]\nname = \"A\"\nreason = \"a base\"\n").unwrap();
        assert_eq!(overlay.unused(), ["keep: A"]);
        for reason in ["", "reason = \"\"", "reason = \" \"", "reason = 1"] {
            let text =
                format!("[[keep]]\nname = \"A\"\nreason = \"a\"\n[[drop]]\nname = \"B\"\n{reason}");
            let error = read(&text).unwrap_err();
            assert!(error.contains("an entry says why"), "{error}");
            assert!(error.contains("line 4"), "{error}");
        }
    }

    #[test]
    fn an_entry_has_known_members_only() {
        let text = "[[keep]]\nnames = \"A\"\nreason = \"a base\"\n";
        let error = toml::from_str::<Overlay>(text).unwrap_err().to_string();
        assert!(
            error.contains("unknown field `names`") && error.contains("line 1"),
            "{error}"
        );
    }
}
