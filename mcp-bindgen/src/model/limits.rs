//! Limits of schemas. A value whose schema exceeds a limit stays JSON.

/// The maximum size of a schema, in bytes.
pub(crate) const BYTES: usize = 1 << 20;

pub(crate) const DEPTH: usize = 64;

/// The maximum number of subschemas that are read or combined. A subschema that is reached twice is
/// counted twice.
pub(crate) const NODES: usize = 20_000;

/// The maximum number of bytes that are copied to combine `allOf` and references.
pub(crate) const MERGED: usize = 8 << 20;

/// The maximum number of members of an object, values of an enum, or alternatives.
pub(crate) const MEMBERS: usize = 1_000;
