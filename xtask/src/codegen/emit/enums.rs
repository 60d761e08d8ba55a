//! Emits string enums, with the values of all revisions and a variant for unknown values.

use super::docs::Docs;
use crate::codegen::merged::merge::{Merged, MergedType, Shape};
use crate::codegen::merged::variants;
use mcp_bindgen::code::names::ident;
use mcp_bindgen::code::open_enum::{self, Variant};
use proc_macro2::TokenStream;
use quote::quote;

pub(crate) fn emit(merged: &Merged, docs: &Docs<'_>) -> TokenStream {
    let types = merged.types.iter();
    let enums = types.filter(|(_, ty)| matches!(ty.shape, Shape::Enum(_)));
    let enums = enums.map(|(name, ty)| emit_one(merged, name, ty, docs));
    enums.collect()
}

fn emit_one(merged: &Merged, type_name: &str, ty: &MergedType, docs: &Docs<'_>) -> TokenStream {
    let name = ident(type_name);
    let doc = docs.of(type_name, &ty.known);
    let values = variants::of(merged, type_name);
    let values = values.iter().map(|(value, variant, known)| Variant {
        wire: value.clone(),
        name: ident(variant),
        doc: docs.of(&format!("{type_name}::{variant}"), known),
    });
    let read = quote!(open_enum::deserialize(deserializer));
    open_enum::emit(&name, &doc, &values.collect::<Vec<_>>(), &read)
}
