//! How the model's types are written in Rust, and what a constructor takes for them.

use super::ir::Type;
use super::merge::{Merged, Shape};
use super::names::snake;
use super::overlay::Overlay;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// Whether `name` can stand in code, if need be as a raw identifier.
pub(crate) fn is_identifier(name: &str) -> bool {
    syn::parse_str::<Ident>(&format!("r#{name}")).is_ok()
}

/// `name` as an identifier, raw where it is a keyword.
///
/// [`super::check_names`] asks about a name that can be none, before it is written.
pub(crate) fn ident(name: &str) -> Ident {
    let plain = syn::parse_str(name).ok().filter(|name| name != "gen");
    let raw = || syn::parse_str(&format!("r#{name}")).ok();
    let plain = plain.or_else(raw);
    plain.unwrap_or_else(|| format_ident!("_{}", snake(name)))
}

/// The Rust name of a field of the type `holder`.
pub(crate) fn field_name(holder: &str, wire: &str, overlay: &Overlay) -> String {
    let given = overlay.identifier(&format!("{holder}.{wire}"));
    let given = given.or_else(|| overlay.field.find(wire).map(|word| &*word.to));
    let last = wire.rsplit('/').next().unwrap_or(wire);
    given.map_or_else(|| snake(last), str::to_owned)
}

/// The type that holds a value.
pub(crate) fn stored(ty: &Type) -> TokenStream {
    match ty {
        Type::Text | Type::Constant(_) => quote!(String),
        Type::Integer { signed: true } => quote!(i128),
        Type::Integer { signed: false } => quote!(u64),
        Type::Number => quote!(f64),
        Type::Bool => quote!(bool),
        Type::Json { .. } => quote!(RawJson),
        Type::Object { .. } => quote!(JsonObject),
        Type::Named(name) => {
            let name = ident(name);
            quote!(#name)
        }
        Type::List(item) => {
            let item = stored(item);
            quote!(Vec<#item>)
        }
        Type::Map(item) => {
            let item = stored(item);
            quote!(OrderedMap<#item>)
        }
        Type::OneOrMany(item) => {
            let item = stored(item);
            quote!(OneOrMany<#item>)
        }
        Type::Nullable(inner) => {
            let inner = stored(inner);
            quote!(Option<#inner>)
        }
    }
}

/// An argument of that type, and the expression that stores it.
pub(crate) fn argument(ty: &Type, name: &Ident, merged: &Merged) -> (TokenStream, TokenStream) {
    let into = |ty: TokenStream| (quote!(impl Into<#ty>), quote!(#name.into()));
    match ty {
        Type::Text | Type::Integer { signed: true } | Type::Json { .. } | Type::OneOrMany(_) => {
            into(stored(ty))
        }
        Type::Named(named) => match merged.types.get(named).map(|ty| &ty.shape) {
            Some(Shape::Struct(_) | Shape::Enum(_)) => (stored(ty), quote!(#name)),
            _ => into(stored(ty)),
        },
        Type::List(item) => match **item {
            Type::Text => (
                quote!(impl IntoIterator<Item = impl Into<String>>),
                quote!(#name.into_iter().map(Into::into).collect()),
            ),
            _ => {
                let item = stored(item);
                let argument = quote!(impl IntoIterator<Item = #item>);
                (argument, quote!(#name.into_iter().collect()))
            }
        },
        Type::Map(item) => {
            let item = stored(item);
            (
                quote!(impl IntoIterator<Item = (impl Into<String>, #item)>),
                quote!(#name.into_iter().map(|(key, value)| (key.into(), value)).collect()),
            )
        }
        _ => (stored(ty), quote!(#name)),
    }
}

/// Roughly how many bytes a value takes in place.
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
            let sizes = members
                .iter()
                .map(|member| in_place(&member.member.ty, merged));
            8 + sizes.max().unwrap_or(0)
        }
    }
}

/// How many bytes a variant may take before it is boxed.
const LARGEST_VARIANT: usize = 150;

/// Whether a variant that holds `ty` is boxed.
pub(crate) fn is_boxed(ty: &Type, merged: &Merged) -> bool {
    matches!(ty, Type::Named(_)) && size(ty, merged) > LARGEST_VARIANT
}

fn in_place(ty: &Type, merged: &Merged) -> usize {
    if is_boxed(ty, merged) {
        8
    } else {
        size(ty, merged)
    }
}
