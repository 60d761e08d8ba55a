//! `Nearest`: the value of a union that can stand for all others.

use super::arguments::constructor_order;
use super::conform::{Conform, parameter_in};
use super::entry_kinds::Nearest;
use super::error::{Error, Result};
use super::ir::Type;
use super::merge::{MergedMember, MergedType, Shape};
use super::rust::{self, ident};
use super::variants;
use proc_macro2::TokenStream;
use quote::quote;
use serde_json::{Map, Value};

/// `Nearest` of a union: the description of its values, and the value made of a text.
pub(super) fn of_union(
    conform: &Conform<'_>,
    name: &str,
    ty: &MergedType,
    members: &[MergedMember],
    nearest: &Nearest,
) -> Result<TokenStream> {
    let describe = describe(conform, name, members, nearest);
    let text = nearest.json.as_deref().unwrap_or("null");
    let fault = || {
        let what = "`json` of `nearest` is none of the values that all revisions have";
        Error::conflict(name, what)
    };
    let json = serde_json::from_str(text).map_err(|_| fault())?;
    if text.matches("\"{}\"").count() > 1 {
        return Err(Error::conflict(
            name,
            "`json` of `nearest` has more than one `{}`",
        ));
    }
    let value = members
        .iter()
        .filter(|member| member.known == ty.known)
        .find_map(|member| value(conform, &member.member.ty, &json))
        .ok_or_else(fault)?;
    let text = parameter_in(&value, "text");
    let name = ident(name);
    Ok(quote! {
        impl Nearest for #name {
            fn describe(&self) -> String {
                #describe
            }

            fn from_text(#text: String) -> Self {
                #value.into()
            }
        }
    })
}

/// The description of each variant.
fn describe(
    conform: &Conform<'_>,
    name: &str,
    members: &[MergedMember],
    nearest: &Nearest,
) -> TokenStream {
    let variants = variants::of_union(conform.merged, name, members);
    let arms = variants.iter().filter_map(|variant| {
        let template = nearest.describe.get(variant)?;
        let variant = ident(variant);
        Some(quote!(Self::#variant(value) => fit::describe(value, #template)))
    });
    let arms: Vec<_> = arms.collect();
    let plain = quote!(fit::describe(self, ""));
    match arms.is_empty() {
        true => plain,
        false => quote!(match self { #(#arms,)* _ => #plain }),
    }
}

/// The code that makes a value of `ty` that is `json`, with `text` in place of the string `{}`.
fn value(conform: &Conform<'_>, ty: &Type, json: &Value) -> Option<TokenStream> {
    match (ty, json) {
        (Type::Text, Value::String(text)) if text == "{}" => Some(quote!(text)),
        (Type::Text, Value::String(text)) => Some(quote!(#text)),
        (Type::Map(item), Value::Object(entries)) if entries.is_empty() => {
            let item = rust::stored(item);
            Some(quote!(Vec::<(String, #item)>::new()))
        }
        (Type::Named(name), Value::Object(members)) => structure(conform, name, members),
        (
            Type::Text
            | Type::Integer { .. }
            | Type::Number
            | Type::Bool
            | Type::Json { .. }
            | Type::Object { .. }
            | Type::Constant(_)
            | Type::Named(_)
            | Type::List(_)
            | Type::Map(_)
            | Type::OneOrMany(_)
            | Type::Nullable(_),
            _,
        ) => None,
    }
}

/// The code that makes a struct of its constant and required fields.
fn structure(
    conform: &Conform<'_>,
    name: &str,
    members: &Map<String, Value>,
) -> Option<TokenStream> {
    let Shape::Struct(structure) = &conform.merged.types.get(name)?.shape else {
        return None;
    };
    let required = constructor_order(name, structure, conform.overlay);
    let constant = structure.constant();
    let is_known = |(wire, value): (&String, &Value)| {
        required.iter().any(|(field, _)| *field == wire)
            || constant.is_some_and(|(field, constant)| field == wire && value == constant)
    };
    if !members.iter().all(is_known) {
        return None;
    }
    let arguments: Option<Vec<_>> = required
        .iter()
        .map(|(wire, field)| value(conform, &field.ty, members.get(*wire)?))
        .collect();
    let (name, arguments) = (ident(name), arguments?);
    Some(quote!(#name::new(#(#arguments),*)))
}
