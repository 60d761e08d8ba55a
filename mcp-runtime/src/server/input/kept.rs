//! What is kept of the questions of a call that is made again.

use mcp_types::{OrderedMap, RawJson};

/// What a call has got from its client before it was detached, by the names of questions and the keys of
/// values.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct KeptInputs {
    /// The answers that its handler has used.
    pub answers: OrderedMap<RawJson>,
    /// The values of [`Context::once`](crate::Context::once).
    pub values: OrderedMap<RawJson>,
}
