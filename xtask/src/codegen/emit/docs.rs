//! Documentation: our own words from `schema/docs.toml`, and the revisions.

use crate::codegen::error::Result;
use crate::codegen::merged::keys;
use crate::codegen::merged::merge::{Merged, Set};
use crate::codegen::overlay::file::read_toml;
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Entries of `docs.toml` by key.
pub(crate) struct Docs<'a> {
    entries: BTreeMap<String, String>,
    merged: &'a Merged,
}

impl<'a> Docs<'a> {
    /// Reads `docs.toml` in a folder of schemas.
    ///
    /// The entry `*.field` is for the fields of that name without one of their own.
    pub(crate) fn read(folder: &Path, merged: &'a Merged) -> Result<Self> {
        let entries = read_toml(&folder.join("docs.toml"))?;
        Ok(Self { entries, merged })
    }

    /// The keys that lack words, with their revisions, and the entries that lack a key.
    pub(crate) fn gaps(&self) -> (BTreeMap<String, String>, Vec<String>) {
        let mut used = BTreeSet::new();
        let mut missing = BTreeMap::new();
        for (key, known) in keys::keys(self.merged) {
            let entry = self.entry(&key);
            if entry
                .as_ref()
                .is_none_or(|(_, text)| text.trim().is_empty())
            {
                missing.insert(key, self.merged.span(&known));
            }
            used.extend(entry.map(|(entry, _)| entry));
        }
        let stale = self.entries.keys().filter(|key| !used.contains(*key));
        (missing, stale.cloned().collect())
    }

    /// The entry for `key` and the key it stands under.
    fn entry(&self, key: &str) -> Option<(String, &str)> {
        let general = || key.split_once('.').map(|(_, field)| format!("*.{field}"));
        let find = |key: String| {
            let text = self.entries.get(&key)?;
            Some((key, text.as_str()))
        };
        find(key.to_owned()).or_else(|| find(general()?))
    }

    /// The doc attributes of `key`, without its revisions.
    pub(crate) fn text(&self, key: &str) -> TokenStream {
        lines(self.entry(key).map_or("", |(_, text)| text))
    }

    /// The doc attributes of what `key` documents.
    pub(crate) fn of(&self, key: &str, known: &Set) -> TokenStream {
        let text = self.entry(key).map_or("", |(_, text)| text).trim();
        let revisions = self.merged.span(known);
        lines(&format!(
            "{text}\n\nRevisions: {}.",
            revisions.trim_end_matches(" revisions")
        ))
    }
}

/// Doc attributes, one a line.
pub(crate) fn lines(text: &str) -> TokenStream {
    let lines = text.trim().lines().flat_map(|line| wrap(line.trim_end()));
    let lines = lines.map(|line| {
        if line.is_empty() {
            line
        } else {
            format!(" {line}")
        }
    });
    quote!(#(#[doc = #lines])*)
}

/// How long a line of documentation may be, in characters.
const WIDTH: usize = 90;

/// A paragraph in lines; what is shorter than a line stays as it is.
fn wrap(text: &str) -> Vec<String> {
    if text.chars().count() <= WIDTH {
        return vec![text.to_owned()];
    }
    let mut words = text.split(' ');
    let mut lines: Vec<_> = words.next().map(str::to_owned).into_iter().collect();
    for word in words {
        // At the start of a line these would mean something else.
        let bound = word.starts_with(|c: char| "-+*#>|".contains(c) || c.is_ascii_digit());
        match lines.last_mut() {
            Some(line) if bound || line.chars().count() + word.chars().count() < WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_wrapped_and_keep_their_words() {
        let text = "word ".repeat(40) + "- 1 end";
        let lines = wrap(&text);
        assert!(lines.len() > 1 && lines.iter().all(|line| line.chars().count() <= WIDTH + 8));
        assert_eq!(lines.join(" "), text);
        assert_eq!(wrap("    indented code"), ["    indented code"]);
        assert_eq!(wrap(""), [""]);
    }
}
