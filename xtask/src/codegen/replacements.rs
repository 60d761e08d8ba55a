//! Questions about values that some revision cannot express.

use super::ir::Type;
use super::merge::{Merged, MergedField, MergedType, Set, Shape};
use super::overlay::Overlay;
use super::type_words::span;
use super::variants;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Asks what becomes of the values of each enum and union that some revision lacks.
///
/// Returns the descriptions in entries that are for no variant.
pub(super) fn ask(merged: &Merged, overlay: &Overlay) -> Vec<String> {
    let places = places(merged);
    let mut unused = Vec::new();
    for (name, ty) in &merged.types {
        let values = values(merged, name, ty);
        let lacking: Vec<_> = values
            .iter()
            .filter(|(_, known)| *known != ty.known)
            .collect();
        let Some(places) = places.get(name.as_str()).filter(|_| !lacking.is_empty()) else {
            continue;
        };
        // An answer to another question may take the type away.
        let is_open = |place: &str| overlay.decisions.is_open(place);
        if is_open(name) || places.iter().all(|(place, _)| is_open(place)) {
            continue;
        }
        let required = places.iter().find(|(_, optional)| !optional);
        let everywhere = |value: &String| {
            values
                .iter()
                .any(|(own, known)| own == value && *known == ty.known)
        };
        let problem = match overlay.nearest.find(name) {
            None => "what becomes of it",
            Some(entry) => {
                let gone = entry
                    .describe
                    .keys()
                    .filter(|key| !values.iter().any(|(own, _)| own == *key));
                unused.extend(gone.map(|key| format!("nearest: {name}, describe {key}")));
                match (entry.drop, &entry.value, &entry.json, &ty.shape) {
                    (true, None, None, _) if required.is_none() => continue,
                    (false, Some(value), None, Shape::Enum(_)) if everywhere(value) => continue,
                    (false, None, Some(_), Shape::Union(_)) => continue,
                    (true, ..) => "`drop` is for optional fields and lists",
                    (false, ..) => "its entry has no value of all revisions",
                }
            }
        };
        let lacking = lacking.iter().map(|(value, known)| match known.is_empty() {
            true => value.clone(),
            false => format!("{value} ({})", span(&merged.revisions, known)),
        });
        let lacking = lacking.collect::<Vec<_>>().join(", ");
        let required =
            required.map_or(String::new(), |(place, _)| format!(", required at {place}"));
        let what = format!("{problem}{required}; some revisions lack {lacking}");
        let proposal = match required.is_empty() {
            true => "drop = true".to_owned(),
            false => proposal(merged, ty),
        };
        let entry = format!("[[nearest]]\ntype = \"{name}\"\n{proposal}\nreason = \"\"");
        overlay.decisions.ask(name, what, entry);
    }
    unused
}

/// The places of each type, and whether its value can be left out there.
fn places(merged: &Merged) -> BTreeMap<&str, Vec<(String, bool)>> {
    let mut places: BTreeMap<_, Vec<_>> = BTreeMap::new();
    let mut add = |place: String, ty, optional| {
        if let Some((name, optional)) = contained(ty, optional) {
            places.entry(name).or_default().push((place, optional));
        }
    };
    for (name, ty) in &merged.types {
        match &ty.shape {
            Shape::Struct(structure) => {
                for (wire, field) in structure.stored() {
                    add(format!("{name}.{wire}"), &field.ty, !field.always);
                }
            }
            Shape::Union(members) => {
                for member in members {
                    add(name.clone(), &member.member.ty, false);
                }
            }
            Shape::Enum(_) => {}
        }
    }
    places
}

/// The named type inside `ty`, and whether its value can be left out.
fn contained(ty: &Type, optional: bool) -> Option<(&str, bool)> {
    match ty {
        Type::Named(name) => Some((name, optional)),
        Type::List(item) | Type::Map(item) => contained(item, true),
        Type::OneOrMany(item) => contained(item, false),
        Type::Nullable(item) => contained(item, optional),
        Type::Text
        | Type::Integer { .. }
        | Type::Number
        | Type::Bool
        | Type::Json { .. }
        | Type::Object { .. }
        | Type::Constant(_) => None,
    }
}

/// The values of an enum or variants of a union, with the revisions that can express them.
fn values(merged: &Merged, name: &str, ty: &MergedType) -> Vec<(String, Set)> {
    match &ty.shape {
        Shape::Struct(_) => Vec::new(),
        Shape::Enum(def) => {
            let values = def.values.iter();
            let values = values.map(|(value, known)| (value.clone(), known | &def.open));
            let other = ("any other string".to_owned(), def.open.clone());
            values.chain([other]).collect()
        }
        Shape::Union(members) => {
            let variants = variants::of_union(merged, name, members).into_iter();
            let known = members.iter().map(|member| member.known.clone());
            let unknown = ("anything unknown".to_owned(), Set::new());
            variants.zip(known).chain([unknown]).collect()
        }
    }
}

/// A value that all revisions have, to propose it.
fn proposal(merged: &Merged, ty: &MergedType) -> String {
    match &ty.shape {
        Shape::Struct(_) => String::new(),
        Shape::Enum(def) => {
            let mut values = def.values.iter();
            let value = values.find(|(_, known)| *known | &def.open == ty.known);
            format!("value = {:?}", value.map_or("", |(value, _)| value))
        }
        Shape::Union(members) => {
            let common = members.iter().find(|member| member.known == ty.known);
            let value = common.map(|member| example(merged, &member.member.ty, "{}"));
            format!("json = '{}'", value.unwrap_or_default())
        }
    }
}

/// A value of type `ty`, to propose it, with `text` for a string.
pub(super) fn example(merged: &Merged, ty: &Type, text: &str) -> Value {
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
                let (mut members, mut text) = (Map::new(), text);
                let always =
                    |field: &MergedField| field.always || matches!(field.ty, Type::Constant(_));
                for (wire, field) in def.fields.iter().filter(|(_, field)| always(field)) {
                    members.insert(wire.clone(), example(merged, &field.ty, text));
                    // One description is enough.
                    text = if field.ty == Type::Text { "" } else { text };
                }
                Value::Object(members)
            }
        },
    }
}
