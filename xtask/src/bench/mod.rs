//! Measurements against other SDKs: `cargo xtask bench`; how to read them is in
//! `benches/README.md`.

mod counts;
mod guard;
mod http;
mod message;
mod once;
mod plan;
mod process;
mod report;
mod servers;
mod stdio;
mod timing;
mod weight;

pub(crate) use plan::{Options, run};
