//! The names under which `docs.toml` documents the model.
//!
//! `Type`, `Type.field` (as on the wire) and `Type::Variant`.

use super::merge::{Merged, Set, Shape};
use super::span::variant;
use super::type_words::span;
use super::variants;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Every key with the revisions that have what it documents.
pub(crate) fn keys(merged: &Merged) -> BTreeMap<String, Set> {
    let all: Set = (0..merged.revisions.len()).collect();
    let mut keys = BTreeMap::from([("Revision".to_owned(), all)]);
    for (index, revision) in merged.revisions.iter().enumerate() {
        keys.insert(of_revision(revision), Set::from([index]));
    }
    for (name, ty) in &merged.types {
        keys.insert(name.clone(), ty.known.clone());
        match &ty.shape {
            Shape::Struct(structure) => {
                for (field, entry) in structure.stored() {
                    keys.insert(format!("{name}.{field}"), entry.known.clone());
                }
            }
            Shape::Union(_) | Shape::Enum(_) => {
                for (_, variant, known) in variants::of(merged, name, &ty.shape) {
                    keys.insert(format!("{name}::{variant}"), known.clone());
                }
            }
        }
    }
    keys
}

/// The key of a revision.
pub(crate) fn of_revision(revision: &str) -> String {
    format!("Revision::{}", variant(revision))
}

/// One line for each key: the key and the revisions it is for.
pub(crate) fn list(merged: &Merged) -> String {
    let mut out = String::new();
    for (key, known) in keys(merged) {
        let _ = writeln!(out, "{key}\t{}", in_words(merged, &known));
    }
    out
}

/// `known` in words.
pub(crate) fn in_words(merged: &Merged, known: &Set) -> String {
    span(&merged.revisions, known)
}
