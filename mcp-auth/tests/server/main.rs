//! Servers: which tokens they accept, and how they answer.

#![allow(clippy::unwrap_used, unreachable_pub)]

mod asking;
#[path = "../../../mcp-runtime/tests/support/clock.rs"]
#[allow(dead_code)]
mod clock;
mod configuration;
mod introspection;
mod keys;
mod layer;
mod mcp;
mod outages;
mod proofs;
mod scopes;
mod tokens;
mod verifier;
