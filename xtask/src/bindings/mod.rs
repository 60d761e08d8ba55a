//! `cargo xtask bindings <revision>`: types for one revision in a single file.
//!
//! [`run`](run::run) takes the generated modules of that revision and the root of the file in
//! `xtask/templates`, [`support`] adds the hand-written modules of `mcp-types` that they need, [`trim`]
//! leaves out what a single revision has no use for, and [`print`](mod@print) makes one file of it
//! all, which depends on serde and indexmap only.

mod print;
mod run;
mod support;
mod trim;

pub(crate) use run::run;
