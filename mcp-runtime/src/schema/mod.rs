//! JSON Schemas of Rust types, made small.
//!
//! schemars describes a type ([`mod@describe`]), unless it is [`plain`]; what a model needs is
//! less. [`clean`] drops what no JSON Schema 2020-12 reader knows, [`definitions`] writes a
//! definition out where it is used only once.

mod clean;
mod definitions;
mod describe;
mod plain;
mod walk;

pub(crate) use describe::{Describe, describe, document, finish, for_input, for_output};
pub(crate) use plain::Plain;
pub(crate) use walk::walk;
