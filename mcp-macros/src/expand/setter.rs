//! Calls of builder methods.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Expr, LitStr};

use crate::model::Cache;

/// A call of the method `name` with `value`, where there is one.
pub(super) fn setter(name: &str, value: Option<&Expr>) -> Option<TokenStream> {
    let name = format_ident!("{name}");
    value.map(|value| quote!(.#name(#value)))
}

/// A call of the method `cache`.
pub(super) fn cache(cache: &Cache) -> TokenStream {
    let Cache { ttl, shared } = cache;
    let scope = format_ident!("{}", if *shared { "Public" } else { "Private" });
    quote_spanned! {Span::mixed_site()=>
        .cache(__mcp::milliseconds(#ttl), __mcp::CacheScope::#scope)
    }
}

/// A call of the method `scopes`, where there are any.
pub(super) fn scopes(scopes: &[LitStr]) -> Option<TokenStream> {
    (!scopes.is_empty()).then(|| quote!(.scopes([#(#scopes),*])))
}
