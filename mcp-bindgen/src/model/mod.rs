//! Schemas in, types out.
//!
//! [`lower`] reads the schemas of a tool, with [`combine`] for `allOf` and references and [`unions`] for
//! alternatives. [`unify`] makes equal types one, and [`naming`] names them all.

mod combine;
pub(crate) mod ir;
pub(crate) mod limits;
pub(crate) mod lower;
pub(crate) mod naming;
pub(crate) mod read;
pub(crate) mod unify;
mod unions;
