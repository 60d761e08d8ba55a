//! Everything that a person has to settle before code is generated, in one list.

use super::decisions::Open;
use super::docs::Docs;
use super::ir::Type;
use super::merge::Merged;
use super::overlay::Overlay;
use super::{aliases, arguments, capabilities, fills, replacements};
use std::collections::BTreeMap;
use std::path::Path;

/// All questions about the merged model of the workspace at `root`.
pub(super) fn ask(root: &Path, merged: &Merged, overlay: &Overlay, docs: &Docs<'_>) -> Open {
    fills::ask(merged, overlay);
    capabilities::ask(merged, overlay);
    let mut unused = arguments::ask(merged, overlay);
    unused.extend(replacements::ask(merged, overlay));
    read_from_zero(merged, overlay);
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

/// Takes the entries that matter only when structs are written.
fn read_from_zero(merged: &Merged, overlay: &Overlay) {
    for (name, structure) in merged.structs() {
        for (wire, field) in structure.stored() {
            if matches!(field.ty, Type::Integer { signed: false }) {
                overlay.is_from_zero(&format!("{name}.{wire}"));
            }
        }
    }
}

/// New inline types, which are named after their places.
fn named_by_place(
    merged: &Merged,
    overlay: &Overlay,
    docs: &BTreeMap<String, String>,
) -> Vec<String> {
    let mut notes = Vec::new();
    for (name, ty) in merged
        .types
        .iter()
        .filter(|(name, _)| docs.contains_key(*name))
    {
        let place = merged.place(ty).filter(|place| !place.ends_with(".params"));
        if let Some(place) = place.filter(|_| !overlay.name.has(|entry| entry.name == *name)) {
            let entry =
                format!("    [[name]]\n    at = \"{place}\"\n    name = \"\"\n    reason = \"\"\n");
            notes.push(format!(
                "`{name}` is named after its place; for another name:\n{entry}"
            ));
        }
    }
    notes
}
