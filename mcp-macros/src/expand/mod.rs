//! Generates Rust code from the model. No other module generates code.

mod arguments;
mod call;
mod claim;
mod derive;
mod free;
mod function;
mod hook;
mod server;
mod single;
mod uri;

pub(crate) use derive::{form, identity};
pub(crate) use free::free;
pub(crate) use server::{module_server, server};
pub(crate) use single::{around, main, quiet};
pub(crate) use uri::name as uri_builder;

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Expr, LitStr};

use crate::model::Cache;

fn setter(name: &str, value: Option<&Expr>) -> Option<TokenStream> {
    let name = format_ident!("{name}");
    value.map(|value| quote!(.#name(#value)))
}

fn cache(cache: &Cache) -> TokenStream {
    let Cache { ttl, shared } = cache;
    let scope = format_ident!("{}", if *shared { "Public" } else { "Private" });
    quote_spanned! {Span::mixed_site()=>
        .cache(__mcp::milliseconds(#ttl), __mcp::CacheScope::#scope)
    }
}

fn scopes(scopes: &[LitStr]) -> Option<TokenStream> {
    (!scopes.is_empty()).then(|| quote!(.scopes([#(#scopes),*])))
}
