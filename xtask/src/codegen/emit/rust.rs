//! Maps types of the model to Rust types.

use crate::codegen::merged::merge::{Merged, Shape};
use crate::codegen::model::ir::Type;
use crate::codegen::overlay::file::Overlay;
use mcp_bindgen::code::names::{ident, snake};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use std::collections::BTreeSet;

/// Returns the Rust name of a field of the type `holder`.
pub(crate) fn field_name(holder: &str, wire: &str, overlay: &Overlay) -> String {
    let given = overlay.identifier(&format!("{holder}.{wire}"));
    let given = given.or_else(|| overlay.field.find(wire).map(|word| &*word.to));
    let last = wire.rsplit('/').next().unwrap_or(wire);
    given.map_or_else(|| snake(last), str::to_owned)
}

/// Emits the Rust type of a value.
pub(crate) fn stored(ty: &Type) -> TokenStream {
    let item = ty.element().map(stored);
    match ty {
        Type::Text | Type::Constant(_) => quote!(String),
        Type::Integer { signed: true } => quote!(i128),
        Type::Integer { signed: false } => quote!(u64),
        Type::Number => quote!(f64),
        Type::Bool => quote!(bool),
        Type::Json { .. } => quote!(RawJson),
        Type::Object { .. } => quote!(JsonObject),
        Type::Named(name) => ident(name).to_token_stream(),
        Type::List(_) => quote!(Vec<#item>),
        Type::Map(_) => quote!(OrderedMap<#item>),
        Type::OneOrMany(_) => quote!(OneOrMany<#item>),
        Type::Nullable(_) => quote!(Option<#item>),
    }
}

/// Estimates the size of a value in bytes, without its heap data.
pub(crate) fn size(ty: &Type, merged: &Merged) -> usize {
    match ty {
        Type::Bool => 1,
        Type::Integer { .. } | Type::Number => 8,
        Type::Json { .. } => 16,
        Type::Named(name) => size_of_named(name, merged),
        Type::OneOrMany(item) => size(item, merged) + 8,
        _ => 24,
    }
}

fn size_of_named(name: &str, merged: &Merged) -> usize {
    if is_recursive(name, merged) {
        return 8;
    }
    match merged.types.get(name).map(|ty| &ty.shape) {
        None | Some(Shape::Enum(_)) => 24,
        Some(Shape::Struct(structure)) => {
            let extra = if structure.open.is_empty() { 0 } else { 24 };
            let fields = structure.stored().map(|(_, field)| match field.ty {
                Type::Integer { .. } | Type::Number if !field.always => 16,
                _ => size(&field.ty, merged),
            });
            fields.sum::<usize>() + extra
        }
        Some(Shape::Union(members)) => {
            let sizes = members.iter().map(|member| &member.member.ty);
            let sizes = sizes.map(|ty| {
                if is_boxed(ty, merged) {
                    8
                } else {
                    size(ty, merged)
                }
            });
            8 + sizes.max().unwrap_or(0)
        }
    }
}

/// Maximum size of a variant in bytes; larger variants are boxed.
const LARGEST_VARIANT: usize = 150;

pub(crate) fn is_boxed(ty: &Type, merged: &Merged) -> bool {
    match ty {
        Type::Named(name) => is_recursive(name, merged) || size(ty, merged) > LARGEST_VARIANT,
        _ => false,
    }
}

/// Returns true if a value of the type can contain another value of the same type without indirection.
pub(crate) fn is_recursive(name: &str, merged: &Merged) -> bool {
    contains(name, name, merged, held_in_place)
}

/// Returns true if a value of type `whole` can contain a value of type `part` at any depth. `held`
/// returns the named type inside the type of a field or member.
pub(crate) fn contains(
    whole: &str,
    part: &str,
    merged: &Merged,
    held: fn(&Type) -> Option<&str>,
) -> bool {
    let mut known = BTreeSet::from([whole]);
    let mut open = vec![whole];
    let mut found = false;
    while let (Some(name), false) = (open.pop(), found) {
        let held: Vec<_> = parts(name, merged).into_iter().filter_map(held).collect();
        found = held.contains(&part);
        open.extend(held.into_iter().filter(|name| known.insert(*name)));
    }
    found
}

/// Returns the types of a struct's fields or a union's members.
fn parts<'a>(name: &str, merged: &'a Merged) -> Vec<&'a Type> {
    match merged.types.get(name).map(|ty| &ty.shape) {
        Some(Shape::Struct(structure)) => structure.stored().map(|(_, field)| &field.ty).collect(),
        Some(Shape::Union(members)) => members.iter().map(|member| &member.member.ty).collect(),
        Some(Shape::Enum(_)) | None => Vec::new(),
    }
}

/// Returns the named type of a value, unless the value is a list or map.
fn held_in_place(ty: &Type) -> Option<&str> {
    match ty {
        Type::Named(name) => Some(name),
        Type::OneOrMany(item) | Type::Nullable(item) => held_in_place(item),
        _ => None,
    }
}
