//! `cargo xtask bindings <revision>`: types for one revision in a single file.
//!
//! [`run`](run::run) combines the generated modules of the revision with the root of the file in
//! `xtask/templates`, [`support`] adds the hand-written modules of `mcp-types` that they need, [`trim`]
//! removes code that a single revision does not need, and [`print`](mod@print) prints a single file,
//! which depends only on serde and indexmap.

mod print;
mod run;
mod support;
mod trim;

pub(crate) use run::run;
