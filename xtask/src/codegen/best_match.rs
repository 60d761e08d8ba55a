//! Unions whose members nothing single tells apart.
//!
//! Each member is described by its constants and its fields; the member that
//! fits a value best is the one it is decoded as.

use super::emitted_union::EmittedUnion;
use super::ir::Type;
use super::merge::{Merged, MergedStruct, Shape};
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

/// A JSON pointer to a field.
fn pointer(path: &[&str]) -> String {
    let parts = path
        .iter()
        .map(|part| part.replace('~', "~0").replace('/', "~1"));
    parts.map(|part| format!("/{part}")).collect()
}

/// The description of one member.
fn candidate(merged: &Merged, structure: &MergedStruct) -> TokenStream {
    let mut constants = Vec::new();
    let mut required = Vec::new();
    let mut optional = Vec::new();
    for (name, field) in &structure.fields {
        let at = pointer(&[name]);
        match &field.ty {
            Type::Constant(value) => constants.push(quote!((#at, &[#value]))),
            Type::Named(enumeration) if field.always => {
                if let Some(Shape::Enum(values)) = merged.types.get(enumeration).map(|t| &t.shape) {
                    let values = values.values.keys();
                    constants.push(quote!((#at, &[#(#values),*])));
                } else {
                    let inner = merged.structure(enumeration).into_iter();
                    let inner = inner.flat_map(MergedStruct::stored);
                    let inner = inner.filter(|(_, field)| field.always);
                    required.extend(inner.map(|(inner, _)| pointer(&[name, inner])));
                }
            }
            _ if field.always => required.push(at),
            _ => optional.push(at),
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
