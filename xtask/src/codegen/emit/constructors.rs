//! Constructors and setters, made from the fields of a struct.

use crate::codegen::by_revision::conform::Conform;
use crate::codegen::check::arguments::constructor_order;
use crate::codegen::error::Result;
use crate::codegen::merged::merge::{Merged, MergedField, MergedStruct, Shape};
use crate::codegen::overlay::file::Overlay;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use std::collections::{BTreeMap, BTreeSet};
use syn::ext::IdentExt;

/// The constructor and the setters of `item`.
pub(crate) fn methods(
    merged: &Merged,
    overlay: &Overlay,
    name: &str,
    structure: &MergedStruct,
    item: &syn::ItemStruct,
) -> Result<TokenStream> {
    let wires = structure.stored().map(|(wire, _)| wire);
    let named =
        |field: &syn::Field| Some((field.ident.clone()?, field.ty.to_token_stream().to_string()));
    let fields: BTreeMap<_, _> = wires.zip(item.fields.iter().filter_map(named)).collect();
    let required = constructor_order(name, structure, overlay);
    let required = required.iter().filter_map(|(wire, _)| fields.get(wire));
    let optional = structure.stored().filter(|(_, field)| !field.always);
    let optional: Vec<_> = optional
        .filter_map(|(wire, field)| Some((wire, field, fields.get(wire)?)))
        .collect();
    let (arguments, mut inits): (Vec<_>, Vec<_>) = required
        .map(|(name, ty)| match argument(ty, name, merged) {
            (argument, Some(stored)) => (quote!(#name: #argument), quote!(#name: #stored)),
            (argument, None) => (quote!(#name: #argument), quote!(#name)),
        })
        .unzip();
    for (wire, field, (rust_name, _)) in &optional {
        let value = preset(merged, overlay, &format!("{name}.{wire}"), field)?;
        inits.push(quote!(#rust_name: #value));
    }
    if !structure.open.is_empty() {
        inits.push(quote!(extra: JsonObject::new()));
    }
    let doc = match arguments.is_empty() {
        true => " A value with all fields absent.",
        false => " A value with the required fields, and no other.",
    };
    let setters = optional
        .iter()
        .map(|(_, _, (name, ty))| setter(ty, name, merged));
    let name = &item.ident;
    Ok(quote! {
        impl #name {
            #[doc = #doc]
            #[must_use]
            pub fn new(#(#arguments),*) -> Self { Self { #(#inits),* } }

            #(#setters)*
        }
    })
}

/// The value that a constructor gives an optional field: of one revision, what that requires.
///
/// In the model of several revisions, such a field is absent, and `Conform` fills it.
fn preset(
    merged: &Merged,
    overlay: &Overlay,
    place: &str,
    field: &MergedField,
) -> Result<TokenStream> {
    let [revision] = &merged.revisions[..] else {
        return Ok(quote!(None));
    };
    if field.required.is_empty() {
        return Ok(quote!(None));
    }
    let fill = overlay.fill.at(place);
    if fill.is_some_and(|fill| fill.value == "\"$revision\"") {
        return Ok(quote!(Some(#revision.to_owned())));
    }
    let conform = Conform {
        merged,
        overlay,
        active: BTreeSet::new(),
    };
    let value = conform.fill(place, &field.ty)?;
    Ok(quote!(Some(#value)))
}

/// The setter of an optional field.
fn setter(ty: &str, name: &Ident, merged: &Merged) -> TokenStream {
    let (_, inner) = split(ty);
    let (argument, stored) = argument(inner, name, merged);
    let stored = stored.unwrap_or_else(|| quote!(#name));
    let rust_name = name.unraw();
    let setter = format_ident!("with_{rust_name}");
    let doc = format!(" Sets [`{rust_name}`](Self::{rust_name}).");
    quote! {
        #[doc = #doc]
        #[must_use]
        pub fn #setter(mut self, #name: #argument) -> Self {
            self.#name = Some(#stored);
            self
        }
    }
}

/// `Vec < String >` as `Vec` and `String`.
fn split(ty: &str) -> (&str, &str) {
    let inside = ty.strip_suffix(" >").and_then(|ty| ty.split_once(" < "));
    inside.unwrap_or((ty, ""))
}

/// An argument for a field of that type, and the expression that stores it if it is another.
fn argument(ty: &str, name: &Ident, merged: &Merged) -> (TokenStream, Option<TokenStream>) {
    let tokens = |ty: &str| ty.parse::<TokenStream>().unwrap_or_default();
    let whole = tokens(ty);
    let into = || (quote!(impl Into<#whole>), Some(quote!(#name.into())));
    let (outer, inner) = split(ty);
    let item = tokens(inner);
    match outer {
        "String" | "i128" | "RawJson" | "OneOrMany" => into(),
        "bool" | "f64" | "u64" | "JsonObject" | "Option" => (whole, None),
        "Box" => (item, Some(quote!(Box::new(#name)))),
        "Vec" if inner == "String" => (
            quote!(impl IntoIterator<Item = impl Into<String>>),
            Some(quote!(#name.into_iter().map(Into::into).collect())),
        ),
        "Vec" => (
            quote!(impl IntoIterator<Item = #item>),
            Some(quote!(#name.into_iter().collect())),
        ),
        "OrderedMap" => (
            quote!(impl IntoIterator<Item = (impl Into<String>, #item)>),
            Some(quote!(#name.into_iter().map(|(key, value)| (key.into(), value)).collect())),
        ),
        named => match merged.types.get(named).map(|ty| &ty.shape) {
            Some(Shape::Struct(_) | Shape::Enum(_)) => (whole, None),
            Some(Shape::Union(_)) | None => into(),
        },
    }
}
