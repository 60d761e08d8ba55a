//! The tests of MCP over HTTP that need no listener of their own, run on a service that another
//! program mounts.

#![allow(
    deprecated,
    reason = "deprecated parts of the protocol are tested until they are removed"
)]
#![allow(clippy::unwrap_used, dead_code, unreachable_pub)]

#[path = "../http/asking.rs"]
mod asking;
#[path = "../http/changes.rs"]
mod changes;
#[cfg(feature = "layer")]
#[path = "../http/extensions.rs"]
mod extensions;
#[path = "../http/headers.rs"]
mod headers;
#[path = "../http/hooks.rs"]
mod hooks;
#[path = "../http/identity.rs"]
mod identity;
#[cfg(feature = "layer")]
#[path = "../http/layers.rs"]
mod layers;
#[path = "../http/scopes.rs"]
mod scopes;
#[path = "../http/security.rs"]
mod security;
#[path = "../http/sessions.rs"]
mod sessions;
#[path = "../http/site.rs"]
mod site;
#[path = "../http/stateless.rs"]
mod stateless;
#[path = "../http/stores/mod.rs"]
mod stores;
#[path = "../http/streams.rs"]
mod streams;
#[path = "../support/mod.rs"]
mod support;
#[path = "../http/telling.rs"]
mod telling;

/// True because the sites are services of another program.
const MOUNTED: bool = true;
