//! Completes the structs that typify prints.
//!
//! Fields, types and attributes stay as typify prints them. This module adds names and docs, the
//! constant that identifies a type, a field for unknown members where the schema allows them, and
//! functions for the fields that serde's derives would read or write wrongly.

use super::docs::Docs;
use super::rust;
use super::types;
use crate::codegen::error::{Error, Result};
use crate::codegen::merged::merge::{Merged, MergedField, MergedStruct, Shape};
use crate::codegen::model::ir::Type;
use crate::codegen::overlay::file::Overlay;
use mcp_bindgen::code::names::ident;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use std::collections::BTreeMap;
use syn::punctuated::Punctuated;
use syn::{Meta, Token, parse_quote};

pub(crate) fn emit(merged: &Merged, overlay: &Overlay, docs: &Docs<'_>) -> Result<TokenStream> {
    let mut printed = types::structs(merged)?;
    let mut out = TokenStream::new();
    for (name, ty) in &merged.types {
        if let Shape::Struct(structure) = &ty.shape {
            let emitter = Emitter {
                merged,
                overlay,
                docs,
                name,
                structure,
            };
            let printed = printed
                .remove(name)
                .ok_or_else(|| Error::printed(name, types::FAULT))?;
            let item = emitter.item(&docs.of(name, &ty.known), printed)?;
            let methods = emitter.methods(&item)?;
            out.extend(quote!(#item #methods));
        }
    }
    Ok(out)
}

pub(super) struct Emitter<'a> {
    pub(super) merged: &'a Merged,
    pub(super) overlay: &'a Overlay,
    docs: &'a Docs<'a>,
    pub(super) name: &'a str,
    pub(super) structure: &'a MergedStruct,
}

impl Emitter<'_> {
    /// Completes the struct that typify printed.
    fn item(&self, doc: &TokenStream, mut item: syn::ItemStruct) -> Result<syn::ItemStruct> {
        let printed = item.fields.into_iter();
        let mut printed: BTreeMap<_, _> = printed.map(|field| (wire_name(&field), field)).collect();
        let mut fields = Vec::new();
        for (wire, field) in self.structure.stored() {
            let printed = printed.remove(wire);
            let lost = || Error::printed(self.name, &format!("without the field `{wire}`"));
            fields.push(self.field(wire, field, printed.ok_or_else(lost)?));
        }
        if !self.structure.open.is_empty() {
            fields.push(parse_quote! {
                /// Members that the schema does not define but allows.
                #[serde(flatten)]
                pub extra: JsonObject
            });
        }
        item.fields = syn::Fields::Named(parse_quote!({ #(#fields),* }));
        let derive = item.attrs.iter().find(|one| one.path().is_ident("derive"));
        let tag = self.structure.constant();
        let tag = tag.map(|(field, value)| quote!(#[serde(tag = #field, rename = #value)]));
        item.attrs = parse_quote!(#doc #derive #tag #[non_exhaustive]);
        Ok(item)
    }

    fn field(&self, wire: &str, field: &MergedField, mut printed: syn::Field) -> syn::Field {
        let name = rust::field_name(self.name, wire, self.overlay);
        let mut serde = serde(&printed);
        serde.retain(|meta| !meta.path().is_ident("rename"));
        if name != wire {
            serde.insert(0, parse_quote!(rename = #wire));
        }
        let ty = printed.ty.to_token_stream().to_string();
        serde.extend(self.conversion(wire, field, &ty));
        let doc = self.docs.of(&format!("{}.{wire}", self.name), &field.known);
        let serde = (!serde.is_empty()).then(|| quote!(#[serde(#(#serde),*)]));
        printed.attrs = parse_quote!(#doc #serde);
        printed.ident = Some(ident(&name));
        printed
    }

    /// Returns serde arguments for a field that serde's derives would read or write wrongly.
    fn conversion(&self, wire: &str, field: &MergedField, ty: &str) -> Arguments {
        let place = format!("{}.{wire}", self.name);
        let from_zero = !field.always && self.overlay.from_zero.at(&place).is_some();
        // If any JSON is allowed, null is a value.
        let null = !field.always && field.ty == Type::Json { object: false };
        match ty {
            "f64" => parse_quote!(serialize_with = "number::whole"),
            "Option < f64 >" => parse_quote!(serialize_with = "number::whole_option"),
            "Option < u64 >" if from_zero => parse_quote!(deserialize_with = "number::from_zero"),
            "i128" | "u64" => parse_quote!(with = "number::integer"),
            "Option < i128 >" | "Option < u64 >" => parse_quote!(with = "number::integer_option"),
            "Option < RawJson >" if null => parse_quote!(deserialize_with = "raw::some"),
            "RawJson" if field.ty == (Type::Json { object: true }) => {
                parse_quote!(deserialize_with = "raw::object")
            }
            _ => Arguments::new(),
        }
    }
}

type Arguments = Punctuated<Meta, Token![,]>;

pub(crate) fn serde(field: &syn::Field) -> Vec<Meta> {
    let attributes = field.attrs.iter();
    let own = attributes.filter(|attribute| attribute.path().is_ident("serde"));
    let lists = own.map(|attribute| attribute.parse_args_with(Arguments::parse_terminated));
    lists.flatten().flatten().collect()
}

pub(crate) fn wire_name(field: &syn::Field) -> String {
    let renamed = serde(field).into_iter().find_map(|meta| {
        let text = meta.to_token_stream().to_string();
        let name = syn::parse_str::<syn::LitStr>(text.strip_prefix("rename = ")?);
        Some(name.ok()?.value())
    });
    renamed.unwrap_or_else(|| field.ident.to_token_stream().to_string())
}
