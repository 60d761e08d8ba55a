//! The log that the runtime writes with `tracing`.
//!
//! These tests are a separate program, because `tracing` caches at a callsite's first use whether
//! the process has a subscriber for it. So each of these tests begins by [listening](support::log),
//! and no other tests run in the process.

#![allow(
    deprecated,
    reason = "deprecated parts of the protocol are tested until they are removed"
)]
#![allow(clippy::unwrap_used)]

mod announcements;
#[cfg(all(unix, feature = "client"))]
mod child_process;
#[cfg(feature = "log-layer")]
mod client_logs;
mod deprecated;
mod held_threads;
#[cfg(all(feature = "http-client", feature = "http-server"))]
mod http;
mod json_text;
mod mounting;
mod not_finite;
mod pictures;
#[cfg(feature = "testing")]
mod questions;
mod requests;
#[cfg(feature = "http-server")]
mod settings;
mod skipped;
#[path = "../support/mod.rs"]
mod support;
mod unsent;
mod unstructured;
