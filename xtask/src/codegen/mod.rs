//! `cargo xtask codegen`: generates the protocol's types from its schemas.
//!
//! These are the steps, in the order of [`run()`]:
//!
//! 1. [`schemas`] reads the stored schemas and normalizes them. [`overlay`] has the decisions that no
//!    rule covers, and collects open questions.
//! 2. [`model`] builds a model of the messages of each revision.
//! 3. [`merged`] merges these models.
//! 4. [`check`] asks the remaining questions. Nothing is written while a question is open.
//! 5. [`emit`] writes the types, and [`by_revision`] the code about single revisions.
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
