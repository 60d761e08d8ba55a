//! Questions about types that the model cannot represent, asked before any code is written.

use crate::codegen::emit::best_match;
use crate::codegen::merged::merge::{Merged, MergedField, MergedMember, Shape};
use crate::codegen::merged::variants::{self, Tag};
use crate::codegen::model::ir::Type;
use crate::codegen::overlay::file::Overlay;
use crate::codegen::overlay::proposal::{Proposal, entry};
use mcp_bindgen::code::names::pascal;
use std::collections::BTreeMap;

/// Asks about each type that the model cannot represent.
pub(crate) fn check(merged: &Merged, overlay: &Overlay) {
    for (name, ty) in &merged.types {
        let ask = |place: &str, fault: &str, entry: String| {
            let what = format!("{fault} ({})", merged.origin_of(ty, &ty.known, ""));
            overlay.decisions.ask(place, what, entry);
        };
        match &ty.shape {
            Shape::Struct(structure) => {
                let constant = structure.constant().map(|(wire, _)| wire);
                for (wire, field) in &structure.fields {
                    let place = format!("{name}.{wire}");
                    if let Type::Constant(value) = &field.ty
                        && (constant != Some(wire) || field.known != ty.known)
                    {
                        let fault =
                            "which is written for one field only, and in all revisions of the type";
                        let fault = format!("always {value:?}, {fault}");
                        let entry = Proposal::of("values").with("at", &*place);
                        let entry = entry.with("name", format!("{name}{}", pascal(wire)));
                        let entry = entry.with("values", vec![value.clone()]);
                        ask(&place, &fault, entry.reason());
                    }
                    if is_list_of_some(merged, field) {
                        let fault = "one value in some revisions, and nothing makes one of a list";
                        ask(&place, fault, entry("raw", [("at", &place)]));
                    }
                }
            }
            Shape::Union(members) => {
                let ambiguity = ambiguity(merged, members);
                if let Some(fault) = ambiguity.filter(|_| !overlay.decisions.is_open(name)) {
                    let entry = match merged.place(ty) {
                        Some(place) => entry("raw", [("at", &place)]),
                        None => entry("support", [("name", name), ("as", "json")]),
                    };
                    ask(name, &fault, entry);
                }
            }
            Shape::Enum(_) => {}
        }
    }
}

/// Returns true if some revisions allow a list, others only one value, and a list has no nearest
/// single value.
///
/// For unions, [`super::replacements`] asks for the single value.
fn is_list_of_some(merged: &Merged, field: &MergedField) -> bool {
    let Type::OneOrMany(item) = &field.ty else {
        return false;
    };
    let mut types = field.by_revision.values();
    let item = item.name().and_then(|name| merged.types.get(name));
    let is_union = item.is_some_and(|ty| matches!(ty.shape, Shape::Union(_)));
    !is_union && types.any(|ty| !matches!(ty, Type::OneOrMany(_)))
}

pub(crate) fn ambiguity(merged: &Merged, members: &[MergedMember]) -> Option<String> {
    let tag = variants::tag(merged, members);
    let mark = |label: &String, member: &MergedMember| match (&tag, &member.member.method) {
        (Tag::Method, _) | (Tag::Field { .. } | Tag::Key(_), None) => Some(label.clone()),
        (Tag::Kind, None) => Some(variants::kind(merged, &member.member.ty)?.0.to_owned()),
        (Tag::BestMatch, None) => {
            let structure = variants::structure(merged, member)?;
            Some(best_match::candidate(merged, structure).to_string())
        }
        (_, Some(_)) => None,
    };
    let labels = variants::labels(merged, members, &tag);
    let mut marks = BTreeMap::new();
    for (label, member) in labels.iter().zip(members) {
        let Some(mark) = mark(label, member) else {
            return Some(format!(
                "nothing tells its member `{label}` apart from the others"
            ));
        };
        if let Some(other) = marks.insert(mark, label) {
            return Some(format!(
                "nothing tells its members `{other}` and `{label}` apart"
            ));
        }
    }
    None
}
