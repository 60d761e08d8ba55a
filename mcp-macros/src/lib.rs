//! The attribute macros of the Model Context Protocol framework.
//!
//! Depend on `mcp-runtime`, which re-exports everything here: what these macros write refers to
//! that crate by path. Each one parses a declaration, builds a model of it, checks the
//! specification's rules and expands the model; every mistake found on the way is reported, and
//! the user's own item is emitted whatever happens.

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
/// The block's doc comment becomes the server's instructions; name and version are those of the
/// Cargo package that contains it, unless the attribute says otherwise.
#[doc(alias("tool_handler", "tool_router"))]
#[proc_macro_attribute]
pub fn mcp_server(attribute: TokenStream, item: TokenStream) -> TokenStream {
    server::server(attribute.into(), item.into()).into()
}

/// Makes a method of a server callable as a tool.
///
/// Parameters taken by value come from the caller, parameters taken by reference come from the
/// call's context. The doc comment becomes the tool's description.
#[proc_macro_attribute]
pub fn tool(attribute: TokenStream, item: TokenStream) -> TokenStream {
    entry::alone("tool", attribute.into(), item.into()).into()
}

/// Offers what a method of a server returns as a prompt.
///
/// Parameters taken by value are arguments, read from text by `FromStr`; an `Option` may be left
/// out.
#[proc_macro_attribute]
pub fn prompt(attribute: TokenStream, item: TokenStream) -> TokenStream {
    entry::alone("prompt", attribute.into(), item.into()).into()
}

/// Offers what a method of a server returns as a resource, under a URI or a template of URIs.
///
/// Parameters taken by value are the variables of the template, read from text by `FromStr`.
#[proc_macro_attribute]
pub fn resource(attribute: TokenStream, item: TokenStream) -> TokenStream {
    entry::alone("resource", attribute.into(), item.into()).into()
}

/// Runs a method when the server is about to be served.
#[proc_macro_attribute]
pub fn on_start(_: TokenStream, item: TokenStream) -> TokenStream {
    entry::hook("on_start", item.into()).into()
}

/// Runs a method for each client that has shaken hands.
#[proc_macro_attribute]
pub fn on_initialized(_: TokenStream, item: TokenStream) -> TokenStream {
    entry::hook("on_initialized", item.into()).into()
}

/// Runs a method when the server has been served.
#[proc_macro_attribute]
pub fn on_shutdown(_: TokenStream, item: TokenStream) -> TokenStream {
    entry::hook("on_shutdown", item.into()).into()
}

/// Makes a struct a form that users can be asked to fill in, or an enum a choice in one.
#[proc_macro_derive(Elicit)]
pub fn elicit(item: TokenStream) -> TokenStream {
    form::derive(item.into()).into()
}

/// Lets functions take a type of the user's own from the context of a call.
#[proc_macro_derive(FromContext, attributes(from_context))]
pub fn from_context(item: TokenStream) -> TokenStream {
    from_context::derive(item.into()).into()
}

/// Runs an `async fn main` to its end on the thread that it was started on. An error that it returns is printed
/// by its text, with its sources, and the exit code is 1.
#[proc_macro_attribute]
pub fn main(attribute: TokenStream, item: TokenStream) -> TokenStream {
    entry::main(attribute.into(), item.into()).into()
}
