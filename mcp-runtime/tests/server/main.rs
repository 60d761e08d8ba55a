//! Servers in memory: their entries, notifications and questions, and how servers work together.

#![allow(
    deprecated,
    reason = "deprecated parts of the protocol are tested until they are removed"
)]
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

mod asking;
mod back_pressure;
mod cancellation;
#[cfg(feature = "macros")]
mod cancellation_token;
mod changes;
mod completions;
#[cfg(all(feature = "layer", feature = "macros"))]
mod detached;
mod dynamic;
mod extensions;
mod file_tree;
mod hooks;
mod interleavings;
mod joining;
#[cfg(all(feature = "layer", feature = "macros", feature = "testing"))]
mod layers;
mod mounted_pages;
mod mounting;
mod pages;
#[cfg(all(debug_assertions, feature = "validation"))]
mod promises;
mod requirements;
mod resources;
mod subscribers;
#[path = "../support/mod.rs"]
mod support;
mod telling;
#[cfg(feature = "client")]
mod trace_context;
mod unreadable;
mod uris;
mod visibility;
