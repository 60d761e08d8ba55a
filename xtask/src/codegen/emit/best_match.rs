//! Emits unions whose members can't be distinguished by a single field.
//!
//! Each member is described by its constants and its fields. A value is decoded as the member that fits
//! best.

use crate::codegen::merged::merge::{Merged, MergedStruct, Shape};
use crate::codegen::model::ir::Type;
use crate::codegen::schemas::load::escape;
use proc_macro2::TokenStream;
use quote::quote;

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
