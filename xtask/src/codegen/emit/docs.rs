//! Emits the docs: text from `schema/docs.toml`, deprecations from `schema/overlay.toml`, and the
//! revisions.

use crate::codegen::error::Result;
use crate::codegen::merged::keys;
use crate::codegen::merged::merge::{Merged, Set};
use crate::codegen::overlay::entries::Entries;
use crate::codegen::overlay::file::{Overlay, read_toml};
use crate::codegen::overlay::kinds::Deprecated;
use mcp_bindgen::code::docs::lines;
use proc_macro2::TokenStream;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Entries of `docs.toml` by key, and the deprecated items.
pub(crate) struct Docs<'a> {
    entries: BTreeMap<String, String>,
    deprecated: &'a Entries<Deprecated>,
    merged: &'a Merged,
}

impl<'a> Docs<'a> {
    /// Reads `docs.toml` in a folder of schemas.
    ///
    /// The entry `*.field` is for all fields of this name that have no entry of their own.
    pub(crate) fn read(folder: &Path, merged: &'a Merged, overlay: &'a Overlay) -> Result<Self> {
        Ok(Self {
            entries: read_toml(&folder.join("docs.toml"))?,
            deprecated: &overlay.deprecated,
            merged,
        })
    }

    /// Returns the keys without an entry, with their revisions, and the entries without a key.
    pub(crate) fn gaps(&self) -> (BTreeMap<String, String>, Vec<String>) {
        let mut used = BTreeSet::new();
        let mut missing = BTreeMap::new();
        for (key, known) in keys::keys(self.merged) {
            let (entry, text) = self.entry(&key).unzip();
            used.extend(entry);
            if text.is_none_or(|text| text.trim().is_empty()) {
                missing.insert(key, self.merged.span(&known));
            }
        }
        let stale = self
            .entries
            .keys()
            .filter(|key| !used.contains(key.as_str()));
        (missing, stale.cloned().collect())
    }

    /// Returns the entry for `key`, and the key in the file.
    fn entry(&self, key: &str) -> Option<(&str, &str)> {
        let general = || key.split_once('.').map(|(_, field)| format!("*.{field}"));
        let find = |key: &str| {
            let (key, text) = self.entries.get_key_value(key)?;
            Some((key.as_str(), text.as_str()))
        };
        find(key).or_else(|| find(&general()?))
    }

    /// Emits the doc attributes of `key`, without its revisions.
    pub(crate) fn text(&self, key: &str) -> TokenStream {
        lines(self.entry(key).map_or("", |(_, text)| text))
    }

    /// Emits the doc attributes of `key`, with its deprecation and its revisions.
    pub(crate) fn of(&self, key: &str, known: &Set) -> TokenStream {
        let text = self.entry(key).map_or("", |(_, text)| text);
        self.with_deprecation(key, text, known)
    }

    /// Emits the doc attributes of an item that `docs.toml` does not document.
    pub(crate) fn with_deprecation(&self, item: &str, text: &str, known: &Set) -> TokenStream {
        let entries = self.deprecated.matching(|entry| entry.items.contains(item));
        let paragraphs = entries.map(deprecation);
        let text = paragraphs.fold(text.trim().to_owned(), |text, deprecation| {
            format!("{text}\n\n{deprecation}")
        });
        with_revisions(&text, self.merged, known)
    }
}

fn deprecation(entry: &Deprecated) -> String {
    let Deprecated {
        part,
        since,
        proposal,
        removal,
        instead,
        items: _,
    } = entry;
    // The part is named, because some items are in older revisions only and can't be removed again.
    format!(
        "Deprecated since {since} ({proposal}). The specification may remove {part} {removal}. \
         Instead, {instead}."
    )
}

pub(crate) fn revisions(merged: &Merged, known: &Set) -> String {
    let span = merged.span(known);
    span.trim_end_matches(" revisions").to_owned()
}

pub(crate) fn with_revisions(text: &str, merged: &Merged, known: &Set) -> TokenStream {
    let text = text.trim();
    let revisions = revisions(merged, known);
    lines(&format!("{text}\n\nRevisions: {revisions}."))
}
