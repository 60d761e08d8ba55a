//! Runs the official conformance suite against the server and the client of the examples.
//!
//! [`suite`] installs the suite, and [`command`] runs it. [`checks`] reads the results, and
//! [`requirements`] the results of the required scenarios.

mod checks;
mod command;
mod program;
mod requirements;
mod suite;

pub(crate) use command::{Options, run};
