//! `cargo xtask codegen`: the protocol's types, from its schemas.
//!
//! The steps, in the order of [`run()`]:
//!
//! 1. [`schemas`] reads the stored schemas and brings them into one form; [`overlay`] has what no rule
//!    covers, and collects what is still open;
//! 2. [`model`] takes over what the messages of each revision contain;
//! 3. [`merged`] joins these models;
//! 4. [`check`] asks what has to be decided; nothing is written while a question is open;
//! 5. [`emit`] writes the types, and [`by_revision`] what each revision has of them.
//!
//! [`extensions`] does the same for the schemas of extensions, and [`single`](mod@single) for one
//! revision alone.

mod by_revision;
mod check;
mod emit;
mod error;
mod extensions;
mod merged;
mod model;
mod overlay;
mod run;
mod schemas;
mod single;

pub(crate) use check::scope::imported;
pub(crate) use run::{Options, open, run};
pub(crate) use schemas::simplify::check_before_import;
pub(crate) use schemas::subschemas::{ALTERNATIVES, alternatives, each, referred};
pub(crate) use single::single;
