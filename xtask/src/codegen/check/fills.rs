//! Questions about fields that only some revisions require.

use super::replacements::example;
use crate::codegen::by_revision::conform::Conform;
use crate::codegen::merged::merge::{Merged, MergedField, Shape};
use crate::codegen::model::ir::Type;
use crate::codegen::overlay::file::Overlay;
use crate::codegen::overlay::proposal::entry;
use mcp_bindgen::code::names::snake;
use serde_json::Value;
use std::collections::BTreeMap;

/// Asks for a value of each field that only some revisions require, once for all types with the
/// field.
pub(crate) fn ask(merged: &Merged, overlay: &Overlay) {
    let conform = Conform { merged, overlay };
    let mut open: BTreeMap<&str, Vec<(&str, &MergedField)>> = BTreeMap::new();
    for (name, structure) in merged.structs() {
        for (wire, field) in structure.stored() {
            if matches!(field.ty, Type::Integer { signed: false }) {
                // Marks the entry as used, because the struct fills this value.
                overlay.from_zero.at(&format!("{name}.{wire}"));
            }
            if !field.always
                && !field.required.is_empty()
                && !overlay.decisions.is_open(name)
                && !conform.is_filled(&format!("{name}.{wire}"), &field.ty)
            {
                open.entry(wire).or_default().push((name, field));
            }
        }
    }
    for (wire, holders) in &open {
        let names: Vec<_> = holders.iter().map(|(name, _)| *name).collect();
        let holder = if names.len() == 1 { names[0] } else { "*" };
        let field = holders[0].1;
        let required = merged.span(&field.required);
        let names = names.join(", ");
        let what = format!("required in {names} ({required}), and nothing to fill it with");
        let place = format!("{holder}.{wire}");
        let value = example(merged, &field.ty, "");
        overlay.decisions.ask(&place, what, fill(&place, &value));
    }
    told_apart(merged, overlay, &open);
}

/// Asks for a separate value if a result and its alternative result share a field.
fn told_apart(
    merged: &Merged,
    overlay: &Overlay,
    open: &BTreeMap<&str, Vec<(&str, &MergedField)>>,
) {
    let results = merged.methods.values().filter_map(|entry| {
        let alternative = entry.method.alternative.as_ref()?;
        let result = merged.structure(entry.method.result.as_ref()?)?;
        Some((alternative, merged.structure(alternative)?, result))
    });
    for (alternative, other, own) in results {
        for (wire, field) in other.stored() {
            let general = format!("*.{wire}");
            let place = format!("{alternative}.{wire}");
            let shared = is_word(merged, &field.ty)
                && own.fields.contains_key(wire)
                && (open.contains_key(&**wire) || overlay.fill.has(|entry| entry.at == general));
            if shared && overlay.fill.find(&place).is_none() {
                let what = format!("tells it apart from the results that `{general}` fills");
                let value = snake(alternative.trim_end_matches("Result")).into();
                overlay.decisions.ask(&place, what, fill(&place, &value));
            }
        }
    }
}

/// Returns true for an enum of strings.
fn is_word(merged: &Merged, ty: &Type) -> bool {
    let shape = ty.name().and_then(|name| merged.types.get(name));
    *ty == Type::Text || shape.is_some_and(|ty| matches!(ty.shape, Shape::Enum(_)))
}

/// Returns the proposed entry. No string can be proposed, so its placeholder is refused until it is
/// replaced.
fn fill(place: &str, value: &Value) -> String {
    let value = match value.as_str() {
        Some("") => String::new(),
        _ => value.to_string(),
    };
    entry("fill", [("at", place), ("value", &value)])
}
