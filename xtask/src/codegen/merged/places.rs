//! Places of the model, as entries of `overlay.toml` and readers of the schemas name them.

use super::merge::{Merged, MergedType, Set};
use std::collections::BTreeMap;

/// The revisions of `known`, each with the JSON pointer of `part` of a type.
pub(crate) fn origin_of(merged: &Merged, ty: &MergedType, known: &Set, part: &str) -> String {
    let pointer = |index| Some(ty.origins.get(&index)?.clone() + part);
    origin(merged, known, pointer)
}

/// The revisions of `known`, each with its JSON pointer.
pub(crate) fn origin(
    merged: &Merged,
    known: &Set,
    pointer: impl Fn(usize) -> Option<String>,
) -> String {
    let mut pointers: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    for index in known {
        let revisions = pointers.entry(pointer(*index).unwrap_or_default());
        let revision = &merged.revisions[*index];
        revisions.or_default().push(revision);
    }
    let all = pointers.into_iter();
    let all = all.map(|(pointer, revisions)| format!("{} at {pointer}", revisions.join(", ")));
    all.collect::<Vec<_>>().join("; ")
}
