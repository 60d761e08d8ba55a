//! The macros that stand on a single function.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::ItemFn;

use crate::attribute::{Entries, MAIN};
use crate::diagnostics::Diagnostics;
use crate::{expand, server};

/// An attribute such as `#[tool]` that no `#[mcp_server]` has taken up.
pub(crate) fn alone(name: &str, item: TokenStream) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    let at = syn::parse2::<syn::ImplItemFn>(item.clone()).map_or_else(
        |_| item.clone(),
        |function| function.sig.ident.into_token_stream(),
    );
    diagnostics.mistake(
        at,
        format!("this `#[{name}]` belongs to no server"),
        "put `#[mcp_server]` on the `impl` block around it",
    );
    [item, diagnostics.into_tokens()].into_iter().collect()
}

/// `#[mcp_runtime::main]`.
pub(crate) fn main(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    let mut entries = Entries::parse(attribute, &MAIN, &mut diagnostics);
    let runtime = server::runtime(&mut entries, &mut diagnostics);
    let Some(mut function) = diagnostics.absorb(syn::parse2::<ItemFn>(item.clone())) else {
        return [item, diagnostics.into_tokens()].into_iter().collect();
    };
    if function.sig.asyncness.take().is_none() {
        diagnostics.mistake(
            function.sig.fn_token,
            "`#[mcp_runtime::main]` runs an `async fn`",
            "write `async fn main`, or remove the attribute",
        );
        return [item, diagnostics.into_tokens()].into_iter().collect();
    }
    if let Some(parameter) = function.sig.inputs.first() {
        diagnostics.mistake(parameter, "`main` takes no parameters", "remove it");
        return [expand::around(&function), diagnostics.into_tokens()]
            .into_iter()
            .collect();
    }
    let mut tokens = expand::main(&runtime, &function);
    tokens.extend(diagnostics.into_tokens());
    tokens
}
