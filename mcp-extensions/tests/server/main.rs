//! Tasks on a server, as clients see them.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, reason = "tests")]

mod calls;
mod http;
mod questions;
mod slow_store;
#[cfg(feature = "sqlite")]
mod stopped;
mod studio;
mod subscriptions;
mod wire;
