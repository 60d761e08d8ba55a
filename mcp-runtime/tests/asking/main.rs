//! Handlers that ask the client, and clients that answer.

#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod both_eras;
mod client;
mod party;
mod refusals;
mod server;
