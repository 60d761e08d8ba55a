//! Questions about values that some revision cannot express.

use crate::codegen::merged::merge::{Merged, MergedField, MergedStruct, MergedType, Set, Shape};
use crate::codegen::merged::variants;
use crate::codegen::model::ir::Type;
use crate::codegen::overlay::file::Overlay;
use crate::codegen::overlay::proposal::Proposal;
use itertools::Itertools;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Asks for a replacement for the values of each enum and union that some revision lacks.
///
/// Returns the descriptions in entries that do not belong to a variant.
pub(crate) fn ask(merged: &Merged, overlay: &Overlay) -> Vec<String> {
    let places = places(merged);
    let mut unused = Vec::new();
    for (name, ty) in &merged.types {
        if let Shape::Struct(_) = ty.shape {
            continue;
        }
        let is_enum = matches!(ty.shape, Shape::Enum(_));
        // Entries name the values of an enum as on the wire, and the variants of a union.
        let values = variants::expressible(merged, name).into_iter();
        let values = values.map(|(label, variant, known)| {
            let is_label = is_enum || known.is_empty();
            (if is_label { label } else { variant }, known)
        });
        let values: Vec<_> = values.collect();
        let lacking = values.iter().filter(|(_, known)| *known != ty.known);
        let text = |(value, known): &(String, Set)| match merged.span(known) {
            _ if known.is_empty() => value.clone(),
            span => format!("{value} ({span})"),
        };
        let lacking = lacking.map(text).join(", ");
        let Some(places) = places.get(name.as_str()).filter(|_| !lacking.is_empty()) else {
            continue;
        };
        // The answer to another question may remove the type.
        let is_open = |place: &str| overlay.decisions.is_open(place);
        if is_open(name) || places.iter().all(|(place, _)| is_open(place)) {
            continue;
        }
        let required = places.iter().find(|(_, optional)| !optional);
        let has = |value: &String| values.iter().find(|(own, _)| own == value);
        let everywhere = |value| has(value).is_some_and(|(_, known)| *known == ty.known);
        let problem = match overlay.nearest.find(name) {
            None => "what becomes of it",
            Some(entry) => {
                let gone = entry.describe.keys();
                let gone = gone.filter(|key| has(key).is_none());
                unused.extend(gone.map(|key| format!("nearest: {name}, describe {key}")));
                match (entry.drop, &entry.value, &entry.json) {
                    (true, None, None) if required.is_none() => continue,
                    (false, Some(value), None) if is_enum && everywhere(value) => continue,
                    (false, None, Some(_)) if !is_enum => continue,
                    (true, ..) => "`drop` is for optional fields and lists",
                    (false, ..) => "its entry has no value of all revisions",
                }
            }
        };
        let entry = Proposal::of("nearest").with("type", &**name);
        let (at, entry) = match required {
            None => (String::new(), entry.with("drop", true)),
            Some((place, _)) => {
                let at = format!(", required at {place}");
                (at, proposal(merged, ty, &values, entry))
            }
        };
        let what = format!("{problem}{at}; some revisions lack {lacking}");
        overlay.decisions.ask(name, what, entry.reason());
    }
    unused
}

/// Returns the places of each type, with true if the value can be left out there.
fn places(merged: &Merged) -> BTreeMap<&str, Vec<(String, bool)>> {
    let mut places: BTreeMap<_, Vec<_>> = BTreeMap::new();
    let mut add = |place: String, ty, optional| {
        if let Some((name, optional)) = contained(ty, optional) {
            places.entry(name).or_default().push((place, optional));
        }
    };
    for (name, ty) in &merged.types {
        if let Shape::Union(members) = &ty.shape {
            let members = members.iter();
            members.for_each(|member| add(name.clone(), &member.member.ty, false));
        }
        let fields = merged
            .structure(name)
            .into_iter()
            .flat_map(MergedStruct::stored);
        fields.for_each(|(wire, field)| add(format!("{name}.{wire}"), &field.ty, !field.always));
    }
    places
}

/// Returns the named type inside `ty`, with true if its value can be left out.
fn contained(ty: &Type, optional: bool) -> Option<(&str, bool)> {
    match ty {
        Type::Named(name) => Some((name, optional)),
        Type::List(item) | Type::Map(item) => contained(item, true),
        Type::OneOrMany(item) => contained(item, false),
        Type::Nullable(item) => contained(item, optional),
        _ => None,
    }
}

/// Proposes a value that all revisions have; one of `values` for an enum.
fn proposal(
    merged: &Merged,
    ty: &MergedType,
    values: &[(String, Set)],
    entry: Proposal,
) -> Proposal {
    if let Shape::Union(members) = &ty.shape {
        let common = members.iter().find(|member| member.known == ty.known);
        let value = common.map(|member| example(merged, &member.member.ty, "{}"));
        return entry.with("json", value.unwrap_or_default().to_string());
    }
    let value = values.iter().find(|(_, known)| *known == ty.known);
    entry.with("value", value.map_or("", |(value, _)| value))
}

/// Returns an example of a value of type `ty`, with `text` for a string.
pub(crate) fn example(merged: &Merged, ty: &Type, text: &str) -> Value {
    match ty {
        Type::Text | Type::OneOrMany(_) => json!(text),
        Type::Integer { .. } | Type::Number => json!(0),
        Type::Bool => json!(false),
        Type::Nullable(_) => Value::Null,
        Type::Constant(value) => json!(value),
        Type::List(_) => json!([]),
        Type::Json { .. } | Type::Object { .. } | Type::Map(_) => json!({}),
        Type::Named(name) => match merged.types.get(name).map(|ty| &ty.shape) {
            Some(Shape::Enum(def)) => json!(def.values.keys().next()),
            Some(Shape::Union(_)) | None => json!(text),
            Some(Shape::Struct(def)) => {
                let mut members = Map::new();
                let mut text = text;
                let always =
                    |field: &MergedField| field.always || matches!(field.ty, Type::Constant(_));
                for (wire, field) in def.fields.iter().filter(|(_, field)| always(field)) {
                    members.insert(wire.clone(), example(merged, &field.ty, text));
                    // Use the description only once.
                    text = if field.ty == Type::Text { "" } else { text };
                }
                Value::Object(members)
            }
        },
    }
}
