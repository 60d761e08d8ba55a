//! The order of a constructor's arguments.

use crate::codegen::merged::merge::{Merged, MergedField, MergedStruct};
use crate::codegen::overlay::file::Overlay;
use crate::codegen::overlay::proposal::Proposal;
use std::collections::BTreeMap;

/// Returns the fields that the constructor of `name` takes, in order: the fields in the type's
/// `[[order]]`, then the fields in `first`, then the others by name.
pub(crate) fn constructor_order<'a>(
    name: &str,
    structure: &'a MergedStruct,
    overlay: &Overlay,
) -> Vec<(&'a String, &'a MergedField)> {
    let ranks = ranks(name, structure, overlay);
    let rank = |wire: &String| ranks.iter().position(|ranked| *ranked == wire);
    let mut required: Vec<_> = structure.required().collect();
    required.sort_by_key(|(wire, _)| rank(wire).unwrap_or(usize::MAX));
    required
}

/// Returns the fields whose order the overlay decides, in this order.
fn ranks<'a>(name: &str, structure: &MergedStruct, overlay: &'a Overlay) -> Vec<&'a String> {
    let is_several = structure.required().count() > 1;
    let is_argument =
        |wire: &String| is_several && structure.required().any(|(own, _)| own == wire);
    let first = overlay.first.matching(is_argument);
    ordered(name, overlay).chain(first).collect()
}

fn ordered<'a>(name: &str, overlay: &'a Overlay) -> impl Iterator<Item = &'a String> {
    let order = overlay.order.find(name).into_iter();
    order.flat_map(|entry| &entry.fields)
}

/// Asks for the order of arguments that have the same type and so could be mixed up.
///
/// Returns the fields in entries that are not arguments.
pub(crate) fn ask(merged: &Merged, overlay: &Overlay) -> Vec<String> {
    let mut unused = Vec::new();
    for (name, structure) in merged.structs() {
        let ranks = ranks(name, structure, overlay);
        let mut by_type: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (wire, field) in structure.required() {
            if !ranks.contains(&wire) {
                let fields = by_type.entry((&field.ty, field.nullable));
                fields.or_default().push(wire);
            }
        }
        for ((ty, _), fields) in by_type.into_iter().filter(|(_, fields)| fields.len() > 1) {
            let what =
                format!("the constructor takes several of type {ty}, and nothing orders them");
            let fields: Vec<_> = fields.into_iter().cloned().collect();
            let entry = Proposal::of("order").with("type", &**name);
            let entry = entry.with("fields", fields).reason();
            overlay.decisions.ask(name, what, entry);
        }
        let is_argument = |wire: &&String| structure.fields.get(*wire).is_some_and(|it| it.always);
        let gone = ordered(name, overlay).filter(|wire| !is_argument(wire));
        unused.extend(gone.map(|wire| format!("order: {name}, field {wire}")));
    }
    unused
}
