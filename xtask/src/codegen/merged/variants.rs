//! Classifies unions: how their members are distinguished, and the names of their variants.

use super::merge::{Merged, MergedMember, MergedStruct, Set, Shape};
use crate::codegen::model::ir::{Member, Type};
use itertools::{Itertools, izip};
use mcp_bindgen::code::names::pascal;
use proc_macro2::TokenStream;
use quote::quote;

/// How the members of a union are distinguished.
#[derive(Debug, PartialEq)]
pub(crate) enum Tag {
    /// By `method`; the union has messages.
    Method,
    /// By the kind of JSON value.
    Kind,
    /// By the value of a field; the member at `default` may lack it.
    Field {
        field: String,
        values: Vec<String>,
        default: Option<usize>,
    },
    /// By a required field that only one member has, for each member.
    Key(Vec<String>),
    /// By the number of a member's constants and required fields that are present.
    BestMatch,
}

pub(crate) fn tag(merged: &Merged, members: &[MergedMember]) -> Tag {
    if members.iter().all(|member| member.member.method.is_some()) {
        return Tag::Method;
    }
    let structs = members.iter().map(|member| structure(merged, member));
    let Some(structs) = structs.collect::<Option<Vec<_>>>() else {
        return Tag::Kind;
    };
    let tag = by_field(merged, &structs).or_else(|| by_key(&structs));
    tag.unwrap_or(Tag::BestMatch)
}

/// Finds a field whose constant value differs in each member.
fn by_field(merged: &Merged, structs: &[&MergedStruct]) -> Option<Tag> {
    let mut constants = structs.iter().filter_map(|structure| structure.constant());
    let field = constants.next()?.0.to_owned();
    let mut values = Vec::new();
    let mut default = None;
    for (index, structure) in structs.iter().enumerate() {
        values.push(match (&structure.fields.get(&field)?.ty, default) {
            (Type::Constant(value), _) => value.clone(),
            (Type::Named(name), None) => {
                default = Some(index);
                single_value(merged, name)?
            }
            _ => return None,
        });
    }
    values.iter().all_unique().then_some(Tag::Field {
        field,
        values,
        default,
    })
}

/// Returns the value of a closed enum with a single value.
fn single_value(merged: &Merged, name: &str) -> Option<String> {
    match &merged.types.get(name)?.shape {
        Shape::Enum(def) if def.open.is_empty() => def.values.keys().cloned().exactly_one().ok(),
        _ => None,
    }
}

/// Finds a required field for each member that no other member has.
fn by_key(structs: &[&MergedStruct]) -> Option<Tag> {
    let holders = structs.iter().flat_map(|def| def.fields.keys()).counts();
    let mut keys = Vec::new();
    for structure in structs {
        let (key, _) = structure.required().find(|(wire, _)| holders[wire] == 1)?;
        keys.push(key.clone());
    }
    Some(Tag::Key(keys))
}

pub(crate) fn structure<'a>(merged: &'a Merged, member: &MergedMember) -> Option<&'a MergedStruct> {
    let Type::Named(name) = &member.member.ty else {
        return None;
    };
    merged.structure(name)
}

/// Returns the JSON type of the values of a type, with the first bytes of their text; `None` if the
/// values can have several JSON types.
pub(crate) fn kind(merged: &Merged, ty: &Type) -> Option<(&'static str, TokenStream)> {
    let string = ("String", quote!(b'"'));
    let object = ("Object", quote!(b'{'));
    match ty {
        Type::Text => Some(string),
        Type::Bool => Some(("Boolean", quote!(b't' | b'f'))),
        Type::Integer { .. } | Type::Number => Some(("Number", quote!(b'-' | b'0'..=b'9'))),
        Type::List(_) => Some(("List", quote!(b'['))),
        Type::Map(_) | Type::Object { .. } | Type::Json { object: true } => Some(object),
        Type::Named(name) => match &merged.types.get(name)?.shape {
            Shape::Struct(_) => Some(object),
            Shape::Enum(_) => Some(string),
            Shape::Union(_) => None,
        },
        _ => None,
    }
}

/// Returns the names of the members in `overlay.toml`: method, value, type or kind.
pub(crate) fn labels(merged: &Merged, members: &[MergedMember], tag: &Tag) -> Vec<String> {
    if let Tag::Field { values, .. } = tag {
        return values.clone();
    }
    let label = |Member { ty, method }: &Member| match (method, ty) {
        (Some(method), _) => method.clone(),
        (None, Type::Named(name)) => name.clone(),
        (None, ty) => kind(merged, ty).map_or("Json", |(kind, _)| kind).to_owned(),
    };
    members.iter().map(|member| label(&member.member)).collect()
}

/// A member or value: its name in `overlay.toml`, its name in Rust, and its revisions.
pub(crate) type Variant<'a> = (String, String, &'a Set);

/// Returns the variants of the union or enum `name`, one for each member or value, in order.
pub(crate) fn of<'a>(merged: &'a Merged, name: &str) -> Vec<Variant<'a>> {
    let own: Vec<_> = match merged.types.get(name).map(|ty| &ty.shape) {
        None | Some(Shape::Struct(_)) => Vec::new(),
        Some(Shape::Union(members)) => {
            let tag = tag(merged, members);
            let labels = labels(merged, members, &tag);
            let names = names(merged, &tag, &labels);
            let known = members.iter().map(|member| &member.known);
            izip!(labels, names, known).collect()
        }
        Some(Shape::Enum(values)) => {
            let values = values.values.iter();
            values
                .map(|(value, known)| (value.clone(), last_word(value), known))
                .collect()
        }
    };
    let variants = own.into_iter().map(|(label, own, known)| {
        let rust = merged.identifier(&format!("{name}::{label}"), own);
        (label, rust, known)
    });
    variants.collect()
}

fn names(merged: &Merged, tag: &Tag, labels: &[String]) -> Vec<String> {
    match tag {
        Tag::Method => labels
            .iter()
            .map(|method| of_method(merged, method))
            .collect(),
        Tag::Kind => labels.to_vec(),
        Tag::Field { .. } => labels.iter().map(|value| last_word(value)).collect(),
        Tag::Key(_) | Tag::BestMatch => without_common_end(labels.to_vec()),
    }
}

/// Returns the variants, each with the revisions that can express it. The last one is for values that
/// no schema lists.
pub(crate) fn expressible(merged: &Merged, name: &str) -> Vec<(String, String, Set)> {
    let open = match merged.types.get(name).map(|ty| &ty.shape) {
        Some(Shape::Enum(values)) => values.open.clone(),
        _ => Set::new(),
    };
    let listed = of(merged, name).into_iter();
    let listed = listed.map(|(label, variant, known)| (label, variant, known | &open));
    let unknown = ("anything else".into(), "Unknown".into(), open.clone());
    listed.chain([unknown]).collect()
}

/// Returns the variant of a message: the name of its definition without `Request` or `Notification`.
fn of_method(merged: &Merged, method: &str) -> String {
    let entry = merged.methods.get(method);
    entry.map_or(method, |entry| entry.method.stem()).to_owned()
}

/// Returns the last part of a value, after the last slash.
fn last_word(value: &str) -> String {
    pascal(value.rsplit('/').next().unwrap_or(value))
}

/// Removes the words that all names end with.
fn without_common_end(mut names: Vec<String>) -> Vec<String> {
    while let Some(first) = names.first()
        && let Some(start) = first.rfind(char::is_uppercase)
        && let word = first[start..].to_owned()
        && names
            .iter()
            .all(|name| name.len() > word.len() && name.ends_with(&word))
    {
        let cut = |name: &mut String| name.truncate(name.len() - word.len());
        names.iter_mut().for_each(cut);
    }
    names
}
