//! Runs the examples as processes.

#![allow(
    deprecated,
    reason = "deprecated parts of the protocol are tested until they are removed"
)]
#![allow(clippy::unwrap_used)]

mod asking;
mod calculator;
mod clients;
mod extension;
mod features;
mod first_day;
mod layers;
mod library;
#[cfg(unix)]
mod on_a_terminal;
#[cfg(unix)]
mod signals;
mod tasks;
mod telling;
mod tour;
