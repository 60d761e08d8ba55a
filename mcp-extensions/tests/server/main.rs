//! Tests tasks on a server, as clients see them.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, reason = "tests")]

mod calls;
mod faults;
mod faulty_store;
mod http;
#[path = "../support/lines.rs"]
mod lines;
mod questions;
#[cfg(feature = "sqlite")]
mod stopped;
mod studio;
mod subscriptions;
mod wire;
