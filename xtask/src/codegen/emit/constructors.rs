//! Constructors and setters, made from the fields of a struct.

use super::structs::Emitter;
use crate::codegen::by_revision::conform::Conform;
use crate::codegen::check::arguments::constructor_order;
use crate::codegen::error::Result;
use crate::codegen::merged::merge::{Merged, MergedField, Shape};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use std::collections::BTreeMap;
use syn::ext::IdentExt;

impl Emitter<'_> {
    /// The constructor and the setters of `item`.
    pub(super) fn methods(&self, item: &syn::ItemStruct) -> Result<TokenStream> {
        let (merged, structure) = (self.merged, self.structure);
        let wires = structure.stored().map(|(wire, _)| wire);
        let printed: BTreeMap<_, _> = wires.zip(&item.fields).collect();
        let required = constructor_order(self.name, structure, self.overlay);
        let optional = structure.stored().filter(|(_, field)| !field.always);
        let (mut arguments, mut inits, mut setters) = (Vec::new(), Vec::new(), Vec::new());
        for (wire, field) in required.into_iter().chain(optional) {
            let Some(syn::Field {
                ident: Some(name),
                ty,
                ..
            }) = printed.get(wire)
            else {
                continue;
            };
            let ty = ty.to_token_stream().to_string();
            if field.always {
                let (argument, stored) = argument(&ty, name, merged);
                let stored = stored.map(|stored| quote!(: #stored));
                arguments.push(quote!(#name: #argument));
                inits.push(quote!(#name #stored));
            } else {
                let value = self.preset(wire, field)?;
                inits.push(quote!(#name: #value));
                setters.push(setter(&ty, name, merged));
            }
        }
        if !structure.open.is_empty() {
            inits.push(quote!(extra: JsonObject::new()));
        }
        let doc = match arguments.is_empty() {
            true => " A value with all fields absent.",
            false => " A value with the required fields, and no other.",
        };
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
    fn preset(&self, wire: &str, field: &MergedField) -> Result<TokenStream> {
        let (merged, overlay) = (self.merged, self.overlay);
        match &merged.revisions[..] {
            [revision] if !field.required.is_empty() => {
                let place = format!("{}.{wire}", self.name);
                let conform = Conform { merged, overlay };
                let value = conform.fill(&place, &field.ty, &quote!(#revision))?;
                Ok(quote!(Some(#value)))
            }
            _ => Ok(quote!(None)),
        }
    }
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
