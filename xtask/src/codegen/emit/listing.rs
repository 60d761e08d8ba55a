//! Emits lists of all types, for tests.

use crate::codegen::by_revision::span::variant;
use crate::codegen::merged::merge::{Merged, MergedType, Shape};
use crate::codegen::overlay::file::Overlay;
use mcp_bindgen::code::names::ident;
use proc_macro2::TokenStream;
use quote::quote;

/// Emits a macro that passes the names of all types to another macro.
pub(crate) fn types(merged: &Merged) -> TokenStream {
    let names = merged.types.keys().map(|name| ident(name));
    quote! {
        macro_rules! for_each_type {
            ($callback:ident) => {
                $callback! { #(#names)* }
            };
        }
    }
}

/// Emits all types with their places in the schemas, and the known mistakes of the schemas.
pub(crate) fn cases(merged: &Merged, overlay: &Overlay) -> TokenStream {
    let types = merged.types.iter();
    let cases = types.map(|(name, ty)| case(merged, name, ty));
    let repairs = overlay.repair.matching(|_| true).map(|repair| {
        let revisions = repair.revisions.as_ref().unwrap_or(&merged.revisions);
        let at = &repair.at;
        let set = &repair.set;
        quote!(Repair { revisions: &[#(#revisions),*], at: #at, set: #set })
    });
    let raw = overlay.raw.matching(|_| true);
    let raw = raw.map(|place| place.at.rsplit('.').next().unwrap_or_default());
    quote! {
        use crate::support::*;

        /// Known mistakes of the published schemas.
        pub(crate) const REPAIRS: &[Repair] = &[#(#repairs),*];

        /// Properties that the model keeps as JSON text.
        pub(crate) const RAW: &[&str] = &[#(#raw),*];

        pub(crate) fn cases() -> Vec<Case> { Vec::from([#(#cases),*]) }
    }
}

fn case(merged: &Merged, name: &str, ty: &MergedType) -> TokenStream {
    let places = ty.origins.iter().map(|(index, pointer)| {
        let revision = ident(&variant(&merged.revisions[*index]));
        quote!((Revision::#revision, #pointer))
    });
    let conform = match &ty.shape {
        Shape::Struct(_) => quote!(|value, revision| {
            value.conform(revision);
            true
        }),
        Shape::Enum(_) | Shape::Union(_) => quote!(|value, revision| {
            value.conform(revision);
            value.exists_in(revision)
        }),
    };
    let ty = ident(name);
    quote!(Case::new::<#ty>(#name, &[#(#places),*], #conform))
}
