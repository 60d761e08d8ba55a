//! Borrowed views of parameters, for servers that only look at a request.
//!
//! Strings are borrowed where they have no escapes, numbers and flags are
//! copied, and all else stays JSON text until somebody asks for it.

use super::docs::{Docs, lines};
use super::error::{Error, Result};
use super::ir::Type;
use super::merge::{Merged, MergedField};
use super::overlay::Overlay;
use super::rust::{self, ident};
use proc_macro2::TokenStream;
use quote::quote;

/// The views that `overlay.toml` asks for.
pub(crate) fn emit(merged: &Merged, overlay: &Overlay, docs: &Docs<'_>) -> Result<TokenStream> {
    let views = overlay
        .borrow
        .iter()
        .map(|entry| view(&entry.name, merged, overlay, docs));
    views.collect()
}

fn view(name: &str, merged: &Merged, overlay: &Overlay, docs: &Docs<'_>) -> Result<TokenStream> {
    let structure = merged
        .structure(name)
        .ok_or_else(|| Error::conflict(name, "a borrowed view of what is no struct"))?;
    let view = ident(&format!("{name}Ref"));
    let doc = lines(&format!(
        "[`{name}`](super::{name}), borrowed from the message it came in.\n\n\
         Decoding allocates nothing, unless a string has escapes."
    ));
    let fields = structure.stored().map(|(wire, field)| {
        let doc = docs.of(&format!("{name}.{wire}"), &field.known);
        let rust_name = rust::field_name(wire, overlay);
        let renamed = (rust_name != *wire).then(|| quote!(rename = #wire));
        let read = match (&field.ty, field.always) {
            (Type::Bool | Type::Number | Type::Integer { .. }, true) => None,
            (Type::Bool | Type::Number | Type::Integer { .. }, false) => Some(quote!(default)),
            (Type::Text, false) => {
                Some(quote!(borrow, default, deserialize_with = "text::optional"))
            }
            (_, true) => Some(quote!(borrow)),
            (_, false) => Some(quote!(borrow, default)),
        };
        let attributes: Vec<_> = renamed.into_iter().chain(read).collect();
        let serde = (!attributes.is_empty()).then(|| quote!(#[serde(#(#attributes),*)]));
        let (name, ty) = (ident(&rust_name), ty(field));
        quote!(#doc #serde pub #name: #ty)
    });
    Ok(quote! {
        #doc
        #[derive(Clone, Debug, Deserialize)]
        #[non_exhaustive]
        pub struct #view<'a> { #(#fields),* }
    })
}

fn ty(field: &MergedField) -> TokenStream {
    let ty = match &field.ty {
        Type::Text => quote!(Cow<'a, str>),
        Type::Bool | Type::Number | Type::Integer { .. } => rust::stored(&field.ty),
        _ => quote!(RawJsonRef<'a>),
    };
    match field.always {
        true => ty,
        false => quote!(Option<#ty>),
    }
}
