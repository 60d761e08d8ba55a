//! The keys of `docs.toml`: `Type`, `Type.field` (as on the wire) and `Type::Variant`.

use super::merge::{Merged, Set};
use super::variants;
use crate::codegen::by_revision::span::variant;
use std::collections::BTreeMap;

/// Returns all keys, each with the revisions that have the documented item.
pub(crate) fn keys(merged: &Merged) -> BTreeMap<String, Set> {
    let all: Set = (0..merged.revisions.len()).collect();
    let mut keys = BTreeMap::from([("Revision".to_owned(), all)]);
    for (index, revision) in merged.revisions.iter().enumerate() {
        keys.insert(of_revision(revision), Set::from([index]));
    }
    for (name, ty) in &merged.types {
        keys.insert(name.clone(), ty.known.clone());
        for (_, variant, known) in variants::of(merged, name) {
            keys.insert(format!("{name}::{variant}"), known.clone());
        }
    }
    for (name, structure) in merged.structs() {
        for (field, entry) in structure.stored() {
            keys.insert(format!("{name}.{field}"), entry.known.clone());
        }
    }
    keys
}

pub(crate) fn of_revision(revision: &str) -> String {
    format!("Revision::{}", variant(revision))
}

/// Lists all keys with their revisions, one per line.
pub(crate) fn list(merged: &Merged) -> String {
    let keys = keys(merged).into_iter();
    let lines = keys.map(|(key, known)| format!("{key}\t{}\n", merged.span(&known)));
    lines.collect()
}
