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
        self::field(wire, field, overlay, &doc)
    });
    Ok(quote! {
        #doc
        #[derive(Clone, Debug, Deserialize)]
        #[non_exhaustive]
        pub struct #view<'a> { #(#fields),* }
    })
}

fn field(wire: &str, field: &MergedField, overlay: &Overlay, doc: &TokenStream) -> TokenStream {
    let name = ident(&rust::field_name(wire, overlay));
    let mut options = vec![];
    if name.to_string().trim_start_matches("r#") != wire {
        options.push(quote!(rename = #wire));
    }
    let ty = match (&field.ty, field.always) {
        (Type::Text, true) => {
            options.push(quote!(borrow));
            quote!(Cow<'a, str>)
        }
        (Type::Text, false) => {
            options.push(quote!(
                borrow,
                default,
                deserialize_with = "crate::union::text_option"
            ));
            quote!(Option<Cow<'a, str>>)
        }
        (Type::Bool | Type::Number | Type::Integer { .. }, always) => {
            let ty = rust::stored(&field.ty);
            if always { ty } else { quote!(Option<#ty>) }
        }
        (_, true) => {
            options.push(quote!(borrow));
            quote!(&'a RawValue)
        }
        (_, false) => {
            options.push(quote!(borrow, default));
            quote!(Option<&'a RawValue>)
        }
    };
    quote! {
        #doc
        #[serde(#(#options),*)]
        pub #name: #ty
    }
}
