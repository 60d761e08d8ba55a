//! `cargo xtask pictures`: the pictures of the documentation, made from what they show.
//!
//! Pictures of a terminal come from programs that run on a pseudo-terminal, the chart comes from
//! `benches/RESULTS.md`, and the diagram of the crates comes from their manifests.

mod chart;
mod command;
mod crates;
mod frame;
mod pty;
mod scenes;
mod terminal;

pub(crate) use command::{Options, run};
