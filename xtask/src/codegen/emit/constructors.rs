//! Emits constructors and setters for structs.

use super::structs::Emitter;
use crate::codegen::by_revision::conform::Conform;
use crate::codegen::check::arguments::constructor_order;
use crate::codegen::error::Result;
use crate::codegen::merged::merge::{Merged, MergedField, Shape};
use mcp_bindgen::code::constructors::{argument, setter};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use std::collections::BTreeMap;
use syn::ext::IdentExt;

impl Emitter<'_> {
    pub(super) fn methods(&self, item: &syn::ItemStruct) -> Result<TokenStream> {
        let merged = self.merged;
        let structure = self.structure;
        let wires = structure.stored().map(|(wire, _)| wire);
        let is_plain = |named: &str| is_plain(named, merged);
        let printed: BTreeMap<_, _> = wires.zip(&item.fields).collect();
        let required = constructor_order(self.name, structure, self.overlay);
        let optional = structure.stored().filter(|(_, field)| !field.always);
        let mut arguments = Vec::new();
        let mut inits = Vec::new();
        let mut setters = Vec::new();
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
                let (argument, stored) = argument(&ty, name, &is_plain);
                let stored = stored.map(|stored| quote!(: #stored));
                arguments.push(quote!(#name: #argument));
                inits.push(quote!(#name #stored));
            } else {
                let value = self.preset(wire, field)?;
                inits.push(quote!(#name: #value));
                let rust_name = name.unraw();
                let doc = format!(" Sets [`{rust_name}`](Self::{rust_name}).");
                setters.push(setter(&ty, name, &quote!(#[doc = #doc]), &is_plain));
            }
        }
        if !structure.open.is_empty() {
            inits.push(quote!(extra: JsonObject::new()));
        }
        let doc = if arguments.is_empty() {
            " Creates a value without any fields."
        } else {
            " Creates a value with the required fields only."
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

    /// Emits the value of an optional field in a constructor. In the model of a single revision, this is
    /// the value that the revision requires.
    ///
    /// In the model of several revisions, such a field is absent, and `Conform` fills it.
    fn preset(&self, wire: &str, field: &MergedField) -> Result<TokenStream> {
        let merged = self.merged;
        let overlay = self.overlay;
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

/// Returns true if a named type is passed as itself, not as `impl Into`.
fn is_plain(name: &str, merged: &Merged) -> bool {
    let shape = merged.types.get(name).map(|ty| &ty.shape);
    matches!(shape, Some(Shape::Struct(_) | Shape::Enum(_)))
}
