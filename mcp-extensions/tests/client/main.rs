//! Tests tasks in a client.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, reason = "tests")]

mod following;
mod handles;
mod http;
#[path = "../support/lines.rs"]
mod lines;
mod questions;
mod scripted;
