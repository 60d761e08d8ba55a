//! Limits of schemas; what exceeds one stays JSON.

/// Bytes of a schema.
pub(crate) const BYTES: usize = 1 << 20;

/// Levels of nesting.
pub(crate) const DEPTH: usize = 64;

/// Subschemas that are read or combined. A subschema that is reached by several ways is counted each time.
pub(crate) const NODES: usize = 20_000;

/// Bytes of the schemas that are copied where `allOf` and references are combined.
pub(crate) const MERGED: usize = 8 << 20;

/// Members of an object, values of an enum, or alternatives.
pub(crate) const MEMBERS: usize = 1_000;
