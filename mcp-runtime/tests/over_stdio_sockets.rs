//! What holds on every transport, over the standard streams of another process, which are sockets.

#![cfg(all(unix, feature = "stdio"))]
#![allow(clippy::unwrap_used, clippy::duplicate_mod)]

#[path = "batches.rs"]
mod batches;
#[path = "lifecycle.rs"]
mod lifecycle;
#[path = "malformed.rs"]
mod malformed;
#[path = "support/mod.rs"]
mod support;
#[path = "tools.rs"]
mod tools;

/// Not a test of its own: what the others start as another process.
#[test]
fn the_server() {
    support::over_stdio::serve_if_told(|name| match name {
        "tools" => tools::server(),
        name => support::named(name),
    });
}
