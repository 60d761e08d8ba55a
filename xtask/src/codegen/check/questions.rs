//! Everything that a person has to settle before code is generated, in one list.

use super::aliases;
use super::arguments;
use super::capabilities;
use super::fills;
use super::replacements;
use crate::codegen::emit::docs::Docs;
use crate::codegen::merged::merge::Merged;
use crate::codegen::overlay::file::Overlay;
use crate::codegen::overlay::open::Open;
use std::collections::BTreeMap;
use std::path::Path;

/// All questions about the merged model of the workspace at `root`.
pub(crate) fn ask(root: &Path, merged: &Merged, overlay: &Overlay, docs: &Docs<'_>) -> Open {
    fills::ask(merged, overlay);
    capabilities::ask(merged, overlay);
    let mut unused = arguments::ask(merged, overlay);
    unused.extend(replacements::ask(merged, overlay));
    let (docs, stale_docs) = docs.gaps();
    let mut notes = named_by_place(merged, overlay, &docs);
    notes.extend(aliases::gone(root, merged, overlay));
    unused.extend(overlay.unused());
    Open {
        decisions: overlay.decisions.take(),
        docs,
        stale_docs,
        unused,
        notes,
    }
}

/// New inline types, which are named after their places.
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
