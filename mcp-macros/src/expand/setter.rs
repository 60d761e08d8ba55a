//! Calls of builder methods.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Expr;

/// A call of the method `name` with `value`, where there is one.
pub(super) fn setter(name: &str, value: Option<&Expr>) -> Option<TokenStream> {
    let name = format_ident!("{name}");
    value.map(|value| quote!(.#name(#value)))
}
