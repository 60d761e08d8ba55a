//! The attribute macros of `mcp-runtime`, a framework for the Model Context Protocol.
//!
//! Depend on `mcp-runtime` instead of this crate: it re-exports the macros, and the code they
//! generate refers to it by path. Each macro parses a declaration into a model, checks the model
//! against the rules of the specification, and expands it. A macro reports every mistake that it
//! finds, and emits the user's own item even then, so that editors still know the item.

mod argument;
mod attribute;
mod bounds;
mod cache;
mod condition;
mod diagnostics;
mod docs;
mod effect;
mod entry;
mod expand;
mod form;
mod from_context;
mod function;
#[cfg(test)]
mod golden;
mod grammar;
mod hook;
mod manifest;
mod model;
mod nearest;
mod own_attribute;
mod pattern;
mod question;
mod resource;
mod scopes;
mod server;
mod signature;
mod template;
mod toml;
mod tool;
mod types;
mod validate;

use proc_macro::TokenStream;

/// Turns an `impl` block into an MCP server.
///
/// The doc comment of the block becomes the server's instructions. The name and version are taken
/// from the Cargo package, unless the attribute sets them.
#[doc(alias("tool_handler", "tool_router"))]
#[proc_macro_attribute]
pub fn mcp_server(attribute: TokenStream, item: TokenStream) -> TokenStream {
    server::server(attribute.into(), item.into()).into()
}

/// Makes a method of a server callable as a tool.
///
/// Parameters taken by value come from the caller; parameters taken by reference come from the
/// context of the call. The doc comment becomes the tool's description.
#[proc_macro_attribute]
pub fn tool(attribute: TokenStream, item: TokenStream) -> TokenStream {
    entry::alone("tool", attribute.into(), item.into()).into()
}

/// Offers a method of a server as a prompt.
///
/// Parameters taken by value are the arguments of the prompt. They are parsed from strings with
/// `FromStr`, and an `Option` may be left out.
#[proc_macro_attribute]
pub fn prompt(attribute: TokenStream, item: TokenStream) -> TokenStream {
    entry::alone("prompt", attribute.into(), item.into()).into()
}

/// Offers a method of a server as a resource, under a URI or a URI template.
///
/// Parameters taken by value are the variables of the template, parsed from strings with `FromStr`.
#[proc_macro_attribute]
pub fn resource(attribute: TokenStream, item: TokenStream) -> TokenStream {
    entry::alone("resource", attribute.into(), item.into()).into()
}

/// Runs a method just before the server starts to serve.
#[proc_macro_attribute]
pub fn on_start(_: TokenStream, item: TokenStream) -> TokenStream {
    entry::hook("on_start", item.into()).into()
}

/// Runs a method each time a client has completed the handshake.
#[proc_macro_attribute]
pub fn on_initialized(_: TokenStream, item: TokenStream) -> TokenStream {
    entry::hook("on_initialized", item.into()).into()
}

/// Runs a method after the server has stopped serving.
#[proc_macro_attribute]
pub fn on_shutdown(_: TokenStream, item: TokenStream) -> TokenStream {
    entry::hook("on_shutdown", item.into()).into()
}

/// Makes a struct a form for users to fill in, or an enum a choice within a form.
#[proc_macro_derive(Elicit)]
pub fn elicit(item: TokenStream) -> TokenStream {
    form::derive(item.into()).into()
}

/// Lets functions take a type of your own, such as the caller's identity, from the context of a
/// call.
#[proc_macro_derive(FromContext, attributes(from_context))]
pub fn from_context(item: TokenStream) -> TokenStream {
    from_context::derive(item.into()).into()
}

/// Runs an `async fn main` to completion on the current thread.
///
/// If `main` returns an error, the error and its sources are printed with `Display`, and the exit
/// code is 1.
#[proc_macro_attribute]
pub fn main(attribute: TokenStream, item: TokenStream) -> TokenStream {
    entry::main(attribute.into(), item.into()).into()
}
