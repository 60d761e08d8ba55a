//! The model in, a list of its types out: for checks that treat each type alike.

use super::merge::Merged;
use super::rust::ident;
use proc_macro2::TokenStream;
use quote::quote;

/// A macro that hands the names of all types to another macro.
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
