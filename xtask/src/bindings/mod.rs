//! `cargo xtask bindings <revision>`: types for one revision in a single file.
//!
//! [`run`](run::run) takes the generated modules of that revision, [`support`]
//! finds the hand-written modules of `mcp-types` that they lean on,
//! [`timeless`] removes what is about revisions, and [`print`](mod@print) puts it all
//! into one file that needs nothing but serde, indexmap and memchr.

mod error;
mod print;
mod run;
mod support;
mod timeless;

pub(crate) use run::run;
