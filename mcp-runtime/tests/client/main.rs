//! Clients: how they connect, call and subscribe, and how they handle failures.

#![allow(
    deprecated,
    reason = "deprecated parts of the protocol are tested until they are removed"
)]
#![allow(clippy::unwrap_used)]

mod caching;
mod calls;
#[cfg(unix)]
mod child_process;
mod claims;
mod eras;
mod extensions;
mod foreign;
mod keep_alive;
#[cfg(feature = "layer")]
mod layers;
mod lists;
mod malformed;
mod reconnection;
#[cfg(feature = "testing")]
mod replay;
mod revisions;
mod servers;
mod status;
mod subscribing;
mod subscriptions;
#[path = "../support/mod.rs"]
mod support;
#[cfg(feature = "testing")]
mod testing;
mod typed;
mod wrong_values;
