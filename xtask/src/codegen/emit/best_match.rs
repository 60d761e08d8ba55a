//! Unions whose members nothing single tells apart.
//!
//! Each member is described by its constants and its fields; the member that
//! fits a value best is the one it is decoded as.

use super::emitted_union::EmittedUnion;
use crate::codegen::merged::merge::{Merged, MergedStruct, Shape};
use crate::codegen::model::ir::Type;
use crate::codegen::schemas::load::escape;
use proc_macro2::TokenStream;
use quote::quote;

/// The code of one such union.
pub(crate) fn emit(union: &EmittedUnion<'_>) -> TokenStream {
    let name = &union.ident;
    let serialize = union.serialize();
    let deserialize = union.deserialize(&quote!(best_match::deserialize));
    let variants = &union.variants;
    let index: Vec<_> = (0..variants.len()).collect();
    let structures = union.members.iter().map(|m| m.member.ty.name());
    let structures = structures.map(|name| name.and_then(|name| union.merged.structure(name)));
    let candidates = structures
        .flatten()
        .map(|structure| candidate(union.merged, structure));
    quote! {
        impl ByBestMatch for #name {
            const CANDIDATES: &'static [Candidate] = &[#(#candidates),*];

            fn read(index: usize, json: &RawJson) -> serde_json::Result<Option<Self>> {
                Ok(Some(match index {
                    #(#index => Self::#variants(json.parse()?),)*
                    _ => return Ok(None),
                }))
            }

            fn unknown(json: RawJson) -> Self { Self::Unknown(json) }
        }

        #serialize
        #deserialize
    }
}

/// The description of one member.
pub(crate) fn candidate(merged: &Merged, structure: &MergedStruct) -> TokenStream {
    let mut constants = Vec::new();
    let mut required = Vec::new();
    let mut optional = Vec::new();
    for (name, field) in &structure.fields {
        let at = format!("/{}", escape(name));
        let named = field
            .ty
            .name()
            .filter(|_| field.always && field.ty.element().is_none());
        let shape = named.and_then(|name| Some(&merged.types.get(name)?.shape));
        if let Type::Constant(value) = &field.ty {
            constants.push(quote!((#at, &[#value])));
        } else if let Some(Shape::Enum(values)) = shape
            && values.open.is_empty()
        {
            let values = values.values.keys();
            constants.push(quote!((#at, &[#(#values),*])));
        } else if let Some(Shape::Struct(inner)) = shape
            && inner.required().next().is_some()
        {
            let inner = inner.required();
            required.extend(inner.map(|(inner, _)| format!("{at}/{}", escape(inner))));
        } else if field.always {
            required.push(at);
        } else {
            optional.push(at);
        }
    }
    quote! {
        Candidate {
            constants: &[#(#constants),*],
            required: &[#(#required),*],
            optional: &[#(#optional),*],
        }
    }
}
