//! What is logged.
//!
//! A program of their own, because `tracing` settles for a whole process whether anybody listens to a
//! place in the code, when that place is come by for the first time. So each of these tests begins
//! with [listening](support::log), and no other test runs beside them.

#![allow(clippy::unwrap_used)]

mod announcements;
#[cfg(all(unix, feature = "client"))]
mod child_process;
#[cfg(feature = "log-layer")]
mod client_logs;
#[cfg(all(feature = "http-client", feature = "http-server"))]
mod http;
mod mounting;
mod requests;
#[path = "../support/mod.rs"]
mod support;
