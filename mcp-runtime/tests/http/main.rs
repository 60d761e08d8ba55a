//! MCP over HTTP, on real sockets.

#![allow(
    deprecated,
    reason = "deprecated parts of the protocol are tested until they are removed"
)]
#![allow(clippy::unwrap_used, unreachable_pub)]

mod access;
#[cfg(feature = "http-client")]
mod answers;
mod asking;
#[cfg(feature = "http-client")]
mod auth_http;
#[cfg(feature = "http-client")]
mod authentication;
mod bodies;
mod changes;
#[cfg(feature = "http-client")]
mod client;
#[cfg(all(feature = "http-client", feature = "sse"))]
mod client_time_limits;
#[cfg(feature = "http-client")]
mod endless;
#[cfg(feature = "http-client")]
mod endpoints;
mod exchanges;
mod expiry;
#[cfg(feature = "layer")]
mod extensions;
#[cfg(all(feature = "http-client", feature = "sse"))]
mod fallback;
#[cfg(feature = "http-client")]
mod header_provider;
mod headers;
mod hooks;
mod hosts;
mod identity;
#[cfg(feature = "layer")]
mod layers;
#[cfg(feature = "sse")]
mod legacy;
mod listening;
mod malformed;
mod mounted;
#[cfg(feature = "http-client")]
mod network;
#[cfg(feature = "http-client")]
mod param_headers;
#[cfg(feature = "http-client")]
mod recording;
mod refusals;
#[cfg(feature = "http-client")]
mod resuming;
mod scopes;
#[cfg(feature = "http-client")]
mod scripted;
mod second;
mod security;
mod sessions;
mod shutdown;
mod site;
mod stateless;
mod stores;
mod streams;
#[cfg(feature = "http-client")]
mod subscriptions;
#[path = "../support/mod.rs"]
mod support;
mod telling;
mod timeouts;
mod unread;
mod unread_answers;
#[cfg(feature = "http-client")]
mod urls;
#[cfg(all(feature = "http-client", not(feature = "sse")))]
mod without_sse;

/// False because the sites have their own listeners. In the program `mounted`, another program
/// serves them.
const MOUNTED: bool = false;
