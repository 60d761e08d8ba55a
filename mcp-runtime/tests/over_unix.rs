//! What holds on every transport, over a Unix socket.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::duplicate_mod)]

#[path = "batches.rs"]
mod batches;
#[path = "lifecycle.rs"]
mod lifecycle;
#[path = "listening.rs"]
mod listening;
#[path = "malformed.rs"]
mod malformed;
#[path = "tools.rs"]
mod tools;
