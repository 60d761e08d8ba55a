//! Logs of `tracing`.
//!
//! A separate program, because `tracing` caches for the whole process whether a callsite has a
//! subscriber, at its first use. So each of these tests begins by [listening](support::log), and no
//! other tests run in the process.

#![allow(clippy::unwrap_used)]

mod announcements;
#[cfg(all(unix, feature = "client"))]
mod child_process;
#[cfg(feature = "log-layer")]
mod client_logs;
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
