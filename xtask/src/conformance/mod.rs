//! The official conformance suite, run against the server and the client of the examples.
//!
//! [`suite`] brings the suite here, [`command`] says what it is run against, [`checks`] reads what it
//! found, [`requirements`] how its sets of required scenarios ended.

mod checks;
mod command;
mod program;
mod requirements;
mod suite;

pub(crate) use command::{Options, run};
