//! Limits of schemas; what exceeds one stays JSON.

/// Bytes of a schema.
pub(crate) const BYTES: usize = 1 << 20;

/// Levels of nesting.
pub(crate) const DEPTH: usize = 64;

/// Subschemas that are read, those that are reached by several ways counted each time.
pub(crate) const NODES: usize = 20_000;

/// Members of an object, values of an enum, or alternatives.
pub(crate) const MEMBERS: usize = 1_000;
