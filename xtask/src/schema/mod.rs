//! The published protocol schemas.
//!
//! [`fetch`] downloads a schema, and [`import`] stores it, reduced to its structure by [`normalize`] and
//! recorded in [`sources`]. [`diff`] compares schemas. [`adopt`] runs all steps, and generates and
//! compiles the types.

mod adopt;
mod command;
mod diff;
mod fetch;
mod import;
mod normalize;
mod sources;
mod unique_keys;

pub(crate) use command::{Command, run};
