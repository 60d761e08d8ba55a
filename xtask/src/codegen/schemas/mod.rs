//! Reads the stored schemas and brings them into a single form.
//!
//! [`load`] reads the files. [`simplify`] applies repairs and new names: [`keywords`] refuses unsupported
//! keywords, [`all_of`] merges parts, and [`subschemas`] visits the schemas inside of a schema.

pub(super) mod all_of;
pub(super) mod keywords;
pub(super) mod load;
pub(super) mod simplify;
pub(super) mod subschemas;
