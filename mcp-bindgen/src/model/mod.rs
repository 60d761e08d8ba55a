//! Converts schemas into a model of Rust types.
//!
//! [`lower`] converts the schemas of a tool, with [`combine`] for `allOf` and references and
//! [`unions`] for alternatives. [`unify`] merges equal types, and [`naming`] names them.

mod combine;
pub(crate) mod ir;
pub(crate) mod limits;
pub(crate) mod lower;
pub(crate) mod naming;
pub(crate) mod read;
pub(crate) mod unify;
mod unions;
