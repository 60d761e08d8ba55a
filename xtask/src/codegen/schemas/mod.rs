//! JSON in, JSON out: the stored schemas in one form of JSON Schema.
//!
//! [`load`] reads them. [`simplify`] applies repairs and names, with [`keywords`], which refuses what
//! the generator does not read, [`all_of`], which merges parts, and [`subschemas`], which visits all.

pub(super) mod all_of;
pub(super) mod keywords;
pub(super) mod load;
pub(super) mod simplify;
pub(super) mod subschemas;
