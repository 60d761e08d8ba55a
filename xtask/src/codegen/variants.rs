//! Unions classified: how their members are told apart, and what they are called.

use super::ir::Type;
use super::merge::{Merged, MergedMember, Shape};
use super::names::pascal;
use std::collections::BTreeSet;

/// How the members of a union are told apart.
#[derive(Debug, PartialEq)]
pub(crate) enum Tag {
    /// By `method`, with `params` beside it.
    Method,
    /// By the kind of JSON value.
    Kind,
    /// By the value of a field; the member at `default` may lack it.
    Field {
        field: String,
        values: Vec<String>,
        default: Option<usize>,
    },
    /// By a field that only this member has; none for the one that is left over.
    Key(Vec<String>),
    /// By how many of a member's constants and required fields are there.
    BestMatch,
}

/// Classifies a union.
pub(crate) fn tag(merged: &Merged, members: &[MergedMember]) -> Tag {
    if members.iter().all(|member| member.member.method.is_some()) {
        return Tag::Method;
    }
    if members
        .iter()
        .all(|member| member.member.ty.name().is_none())
    {
        return Tag::Kind;
    }
    by_field(merged, members)
        .or_else(|| by_key(merged, members))
        .unwrap_or(Tag::BestMatch)
}

/// A field whose constant differs from member to member.
fn by_field(merged: &Merged, members: &[MergedMember]) -> Option<Tag> {
    let structs: Option<Vec<_>> = members.iter().map(|m| structure(merged, m)).collect();
    let structs = structs?;
    let field = structs
        .iter()
        .find_map(|structure| structure.constant())?
        .0
        .to_owned();
    let mut values = Vec::new();
    let mut default = None;
    for (index, structure) in structs.iter().enumerate() {
        values.push(match &structure.fields.get(&field)?.ty {
            Type::Constant(value) => value.clone(),
            Type::Named(name) => {
                default = Some(index);
                single_value(merged, name)?
            }
            _ => return None,
        });
    }
    let distinct: BTreeSet<_> = values.iter().collect();
    (distinct.len() == values.len()).then_some(Tag::Field {
        field,
        values,
        default,
    })
}

/// The value of an enum that has only one.
fn single_value(merged: &Merged, name: &str) -> Option<String> {
    match &merged.types.get(name)?.shape {
        Shape::Enum(values) if values.values.len() == 1 => values.values.keys().next().cloned(),
        _ => None,
    }
}

/// For each member a required field that no other has.
fn by_key(merged: &Merged, members: &[MergedMember]) -> Option<Tag> {
    let structs: Option<Vec<_>> = members.iter().map(|m| structure(merged, m)).collect();
    let structs = structs?;
    let mut keys = Vec::new();
    for (index, structure) in structs.iter().enumerate() {
        let unique = |name: &str| {
            let mut others = structs
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != index);
            others.all(|(_, other)| !other.fields.contains_key(name))
        };
        let mut required = structure.stored().filter(|(_, field)| field.always);
        keys.push(required.find(|(name, _)| unique(name))?.0.clone());
    }
    Some(Tag::Key(keys))
}

fn structure<'a>(
    merged: &'a Merged,
    member: &MergedMember,
) -> Option<&'a super::merge::MergedStruct> {
    merged.structure(member.member.ty.name()?)
}

/// The variants of the union `name`, in the order of its members.
pub(crate) fn of_union(merged: &Merged, name: &str, members: &[MergedMember]) -> Vec<String> {
    let types = members.iter().map(|member| &member.member);
    match tag(merged, members) {
        Tag::Method => {
            let methods = types.filter_map(|member| member.method.as_ref());
            let names = methods.filter_map(|method| merged.methods.get(method));
            let stem = |name: &str| {
                name.trim_end_matches("Request")
                    .trim_end_matches("Notification")
                    .to_owned()
            };
            names.map(|method| stem(&method.method.name)).collect()
        }
        Tag::Kind => types.map(|member| of_kind(&member.ty).to_owned()).collect(),
        Tag::Field { values, .. } => values.iter().map(|value| of_value(value)).collect(),
        Tag::Key(_) | Tag::BestMatch => {
            let names: Vec<_> = types.filter_map(|member| member.ty.name()).collect();
            let _ = name;
            without_common_end(&names)
        }
    }
}

/// The variant of a value: its last word group.
pub(crate) fn of_value(value: &str) -> String {
    pascal(value.rsplit('/').next().unwrap_or(value))
}

fn of_kind(ty: &Type) -> &'static str {
    match ty {
        Type::Text => "String",
        Type::Bool => "Boolean",
        Type::Integer { .. } | Type::Number => "Number",
        Type::List(_) => "List",
        _ => "Object",
    }
}

/// The names without the words that all of them end with.
fn without_common_end(names: &[&str]) -> Vec<String> {
    let mut names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    while let Some(start) = names
        .first()
        .and_then(|name| name.rfind(char::is_uppercase))
    {
        let word = names[0][start..].to_owned();
        let all = names
            .iter()
            .all(|name| name.len() > word.len() && name.ends_with(&word));
        if start == 0 || !all {
            break;
        }
        names
            .iter_mut()
            .for_each(|name| name.truncate(name.len() - word.len()));
    }
    names
}
