//! Tests of servers with skills: their methods, their callers, and changes.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, reason = "tests")]

mod callers;
mod changes;
#[path = "../support/lines.rs"]
mod lines;
mod methods;
mod sources;
mod uris;
mod wire;
