//! The macros that apply to a single function.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, format_ident};
use syn::{ImplItemFn, ItemFn, parse_quote};

use crate::argument::Helpers;
use crate::attribute::Entries;
use crate::diagnostics::Diagnostics;
use crate::function::{self, Subject, Surroundings};
use crate::grammar::MAIN;
use crate::model::Undocumented;
use crate::{expand, manifest, server, signature};

/// Expands an attribute such as `#[tool]` outside an `#[mcp_server]` block. The attribute has to be
/// on a free function.
pub(crate) fn alone(name: &str, attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    let mut function = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(function) if function.sig.receiver().is_none() => function,
        _ => return misplaced(name, item),
    };
    let ident = format_ident!("{name}");
    function
        .attrs
        .insert(0, parse_quote!(#[#ident(#attribute)]));
    let surroundings = Surroundings {
        of_type: false,
        undocumented: Undocumented::default(),
        helpers: Helpers::default(),
        visible: None,
        scopes: Vec::new(),
        lenient: false,
        blocking: false,
    };
    let subject = Subject {
        attributes: &mut function.attrs,
        signature: &mut function.sig,
        visibility: &function.vis,
        body: &function.block,
    };
    let read = function::read(subject, &surroundings, &mut diagnostics);
    let runtime = read.first().and_then(|read| read.runtime.clone());
    let runtime = runtime.unwrap_or_else(manifest::runtime);
    let mut tokens = if read.is_empty() {
        function.into_token_stream()
    } else {
        expand::free(&runtime, &function, &read)
    };
    tokens.extend(diagnostics.into_tokens());
    tokens
}

/// Reports an attribute on a method outside a server, or on an item that is not a function.
fn misplaced(name: &str, item: TokenStream) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    let Ok(mut method) = syn::parse2::<ImplItemFn>(item.clone()) else {
        diagnostics.mistake(
            item.clone(),
            format!("this `#[{name}]` is not on a function"),
            "write it above a `fn`, and not in a macro inside the block",
        );
        return [item, diagnostics.into_tokens()].into_iter().collect();
    };
    // The compiler rejects unknown attributes on parameters, so they are removed.
    signature::refuse_settings(&mut method.sig, &mut Diagnostics::default());
    diagnostics.mistake(
        &method.sig.ident,
        format!("this `#[{name}]` is not part of a server"),
        "put `#[mcp_server]` on the `impl` block around it; functions that another macro generates are not seen",
    );
    let method = method.into_token_stream();
    [method, diagnostics.into_tokens()].into_iter().collect()
}

/// Reports an attribute such as `#[on_start]` outside an `#[mcp_server]` block.
pub(crate) fn hook(name: &str, item: TokenStream) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    diagnostics.mistake(
        item.clone().into_iter().next(),
        format!("this `#[{name}]` is not part of a server"),
        "put `#[mcp_server]` on the `impl` block around it",
    );
    [item, diagnostics.into_tokens()].into_iter().collect()
}

/// Expands `#[mcp_runtime::main]`.
pub(crate) fn main(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    let mut entries = Entries::parse(attribute, &MAIN, &mut diagnostics);
    let runtime = server::runtime(&mut entries, &mut diagnostics);
    let Some(function) = diagnostics.absorb(syn::parse2::<ItemFn>(item.clone())) else {
        return [item, diagnostics.into_tokens()].into_iter().collect();
    };
    if function.sig.asyncness.is_none() {
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
