//! Emits the enum `Revision`, with a variant for each stored schema.

use super::span::variant;
use crate::codegen::emit::docs::Docs;
use crate::codegen::error::{Error, Result};
use crate::codegen::merged::keys;
use crate::codegen::merged::merge::{Merged, Set};
use mcp_bindgen::code::names::ident;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// Emits the enum `Revision` and its basic properties.
pub(crate) fn emit(merged: &Merged, docs: &Docs<'_>) -> Result<TokenStream> {
    let variants = merged.revisions.iter();
    let variants: Vec<_> = variants.map(|name| ident(&variant(name))).collect();
    let item = item(merged, docs, &variants);
    let count = variants.len();
    let names = &merged.revisions;
    let handshake = merged.methods.get("initialize").map(|method| &method.known);
    let handshake = handshake.cloned().unwrap_or_default();
    let latest = variants.last();
    let latest_handshake = handshake.last().map(|index| &variants[*index]);
    let latest_handshake = latest_handshake.ok_or_else(|| {
        let what = "no stored revision has `initialize`; keep one that has, for LATEST_HANDSHAKE";
        Error::at("schema", what)
    })?;
    let handshake = is_in(&handshake, &variants);
    let batches = is_in(&merged.batches, &variants);
    Ok(quote! {
        #item

        impl Revision {
            /// All revisions, oldest first.
            pub const ALL: [Self; #count] = [#(Self::#variants),*];

            /// The newest revision.
            pub const LATEST: Self = Self::#latest;

            /// The newest revision whose connections open with an `initialize` handshake.
            pub const LATEST_HANDSHAKE: Self = Self::#latest_handshake;

            /// Returns the date that names the revision on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { #(Self::#variants => #names),* }
            }

            /// Returns the era of the revision, which decides how a connection begins.
            #[must_use]
            pub const fn era(self) -> Era {
                if #handshake { Era::Handshake } else { Era::Stateless }
            }

            /// Returns true if the revision allows JSON-RPC batches.
            #[must_use]
            pub const fn has_batches(self) -> bool {
                #batches
            }
        }
    })
}

fn item(merged: &Merged, docs: &Docs<'_>, variants: &[Ident]) -> TokenStream {
    let doc = docs.text("Revision");
    let documented = merged.revisions.iter().zip(variants);
    let documented = documented.map(|(revision, variant)| {
        let doc = docs.text(&keys::of_revision(revision));
        quote!(#doc #variant)
    });
    quote! {
        #doc
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Revision { #(#documented),* }
    }
}

/// Emits a constant expression that is true if `self` is in `set`.
fn is_in(set: &Set, variants: &[Ident]) -> TokenStream {
    if set.is_empty() {
        return quote!(false);
    }
    let variants = set.iter().map(|index| &variants[*index]);
    quote!(matches!(self, #(Self::#variants)|*))
}
