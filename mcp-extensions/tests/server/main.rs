//! Tasks on a server, as clients see them.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod calls;
mod questions;
mod studio;
mod subscriptions;
mod wire;
