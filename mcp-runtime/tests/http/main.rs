//! MCP over HTTP, on real sockets.

#![allow(clippy::unwrap_used, unreachable_pub)]

mod changes;
#[cfg(feature = "http-client")]
mod client;
mod identity;
mod legacy;
mod refusals;
mod security;
mod sessions;
mod shutdown;
mod site;
mod stateless;
mod streams;
#[path = "../support/mod.rs"]
mod support;
