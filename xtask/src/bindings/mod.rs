//! `cargo xtask bindings <revision>`: types for one revision in a single file.
//!
//! [`run`](run::run) takes the generated modules of that revision and the whole messages of
//! `xtask/templates`, [`trim`] leaves out what a single revision has no use for, [`support`] finds
//! the hand-written modules of `mcp-types` that they need, and [`print`](mod@print) puts it all into
//! one file that depends on serde and indexmap only.

mod error;
mod print;
mod run;
mod support;
mod trim;

pub(crate) use run::run;
