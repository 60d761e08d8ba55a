//! Measurements against other SDKs: `cargo xtask bench`; how to read them is in
//! `benches/README.md`.

mod bars;
mod command;
mod counts;
mod figures;
mod guard;
mod http;
mod loads;
mod message;
mod once;
mod plan;
mod process;
mod report;
mod series;
mod servers;
mod stdio;
mod timing;
mod weight;

pub(crate) use command::{Options, run};
