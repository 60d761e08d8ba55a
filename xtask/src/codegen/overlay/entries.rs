//! Entries of one kind in `overlay.toml`, with a record of those that matched something.

use serde::Deserialize;
use std::cell::Cell;
use std::collections::BTreeMap;

/// An entry of `overlay.toml`.
pub(crate) trait Entry {
    /// The place, type or method that the entry is for.
    fn key(&self) -> &str;
}

/// The entries of one kind. An entry that is handed out counts as used.
#[derive(Debug, Deserialize)]
#[serde(from = "Vec<T>")]
pub(crate) struct Entries<T>(Vec<(T, Cell<bool>)>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> From<Vec<T>> for Entries<T> {
    fn from(entries: Vec<T>) -> Self {
        let entries = entries.into_iter();
        Self(entries.map(|entry| (entry, Cell::new(false))).collect())
    }
}

impl<T> Entries<T> {
    /// Adds the entries of another file, which need not match anything here.
    pub(crate) fn inherit(&mut self, other: Self) {
        let entries = other.0.into_iter();
        self.0
            .extend(entries.map(|(entry, _)| (entry, Cell::new(true))));
    }
}

impl<T: Entry> Entries<T> {
    /// The entries that match.
    pub(crate) fn matching(&self, matches: impl Fn(&T) -> bool) -> impl Iterator<Item = &T> {
        let found = self.0.iter().filter(move |(entry, _)| matches(entry));
        found.map(|(entry, used)| {
            used.set(true);
            entry
        })
    }

    /// Whether an entry matches, without use of it.
    pub(crate) fn has(&self, matches: impl Fn(&T) -> bool) -> bool {
        self.0.iter().any(|(entry, _)| matches(entry))
    }

    /// The entry for `key`.
    pub(crate) fn find(&self, key: &str) -> Option<&T> {
        self.matching(|entry| entry.key() == key).next()
    }

    /// The entry for the field at `place`; one for the place itself beats one for `*.field`.
    pub(crate) fn at(&self, place: &str) -> Option<&T> {
        let general = || self.find(&format!("*.{}", place.split_once('.')?.1));
        self.find(place).or_else(general)
    }

    /// The entries that were never handed out, as `kind: key`.
    pub(crate) fn unused(&self, kind: &str) -> Vec<String> {
        let unused = self.0.iter().filter(|(_, used)| !used.get());
        unused
            .map(|(entry, _)| format!("{kind}: {}", entry.key()))
            .collect()
    }
}

/// A word and its replacement, in a table of such.
#[derive(Debug)]
pub(crate) struct Word {
    pub(crate) from: String,
    pub(crate) to: String,
}

impl Entry for Word {
    fn key(&self) -> &str {
        &self.from
    }
}

/// Reads a table of words and their replacements.
pub(crate) fn words<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Entries<Word>, D::Error> {
    let words = BTreeMap::<String, String>::deserialize(deserializer)?;
    let words = words.into_iter().map(|(from, to)| Word { from, to });
    Ok(words.collect::<Vec<_>>().into())
}

impl Entry for String {
    fn key(&self) -> &str {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_that_nothing_asked_for_are_left() {
        let entries = Entries::from(vec![
            "Tool.name".to_owned(),
            "*.name".to_owned(),
            "*.title".to_owned(),
        ]);
        assert_eq!(entries.at("Tool.name").unwrap(), "Tool.name");
        assert_eq!(entries.unused("raw"), ["raw: *.name", "raw: *.title"]);
        assert_eq!(entries.at("Prompt.name").unwrap(), "*.name");
        assert_eq!(entries.at("Prompt.text"), None);
        assert_eq!(entries.unused("raw"), ["raw: *.title"]);
    }
}
