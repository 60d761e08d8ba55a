//! Collects all questions that must be settled before code is generated.

use super::aliases;
use super::arguments;
use super::capabilities;
use super::fills;
use super::replacements;
use crate::codegen::emit::docs::Docs;
use crate::codegen::merged::keys;
use crate::codegen::merged::merge::Merged;
use crate::codegen::overlay::file::Overlay;
use crate::codegen::overlay::open::Open;
use std::collections::BTreeMap;
use std::path::Path;

/// Collects all questions about the merged model of the workspace at `root`.
pub(crate) fn ask(root: &Path, merged: &Merged, overlay: &Overlay, docs: &Docs<'_>) -> Open {
    fills::ask(merged, overlay);
    capabilities::ask(merged, overlay);
    let unused = replacements::ask(merged, overlay);
    let gone = aliases::gone(root, merged, overlay);
    let mut open = of_types(merged, overlay, docs);
    open.unused.extend(unused);
    open.notes.extend(gone);
    open
}

/// Collects the questions about types. For an extension, only types are generated.
pub(crate) fn of_types(merged: &Merged, overlay: &Overlay, docs: &Docs<'_>) -> Open {
    let mut unused = arguments::ask(merged, overlay);
    unused.extend(unknown_deprecated(merged, overlay));
    unused.extend(overlay.unused());
    let (docs, stale_docs) = docs.gaps();
    Open {
        notes: named_by_place(merged, overlay, &docs),
        docs,
        stale_docs,
        unused,
        ..overlay.decisions.take(&overlay.folder)
    }
}

/// Returns the deprecated items that the model lacks.
fn unknown_deprecated(merged: &Merged, overlay: &Overlay) -> Vec<String> {
    let keys = keys::keys(merged);
    let is_message = |item: &String| merged.methods.values().any(|it| it.method.name == *item);
    let is_known = |item: &String| keys.contains_key(item) || is_message(item);
    let entries = overlay.deprecated.matching(|entry| !entry.items.is_empty());
    let items = entries.flat_map(|entry| {
        let items = entry.items.iter().filter(|item| !is_known(item));
        items.map(|item| format!("deprecated: {}: {item}", entry.part))
    });
    items.collect()
}

/// Returns notes about new inline types, which are named after their places.
fn named_by_place(
    merged: &Merged,
    overlay: &Overlay,
    docs: &BTreeMap<String, String>,
) -> Vec<String> {
    let new = merged.types.iter().filter(|(name, _)| {
        let is_named = overlay.name.has(|entry| entry.name == **name)
            || overlay.values.has(|entry| entry.name == **name);
        docs.contains_key(*name) && !is_named
    });
    let places = new.filter_map(|(name, ty)| Some((name, merged.place(ty)?)));
    let inline = places.filter(|(_, place)| !place.ends_with(".params"));
    let notes = inline.map(|(name, place)| {
        let entry =
            format!("    [[name]]\n    at = \"{place}\"\n    name = \"\"\n    reason = \"\"\n");
        format!("`{name}` is named after its place; for another name:\n{entry}")
    });
    notes.collect()
}
