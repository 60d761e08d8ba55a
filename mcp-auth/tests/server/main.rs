//! Tests of servers: which tokens they accept, and how they respond.

#![allow(
    deprecated,
    reason = "deprecated parts of the protocol are tested until they are removed"
)]
#![allow(clippy::unwrap_used, unreachable_pub)]

mod asking;
mod bearer;
#[path = "../../../mcp-runtime/tests/support/clock.rs"]
#[allow(dead_code)]
mod clock;
mod configuration;
mod first_minutes;
mod introspection;
mod issuers;
mod keys;
mod layer;
#[path = "../../../mcp-runtime/tests/support/log.rs"]
mod log;
mod mcp;
mod outages;
mod proofs;
mod providers;
mod replicas;
mod revocation;
mod scopes;
mod shapes;
mod time_limits;
mod tokens;
mod verifier;
mod watched_store;
