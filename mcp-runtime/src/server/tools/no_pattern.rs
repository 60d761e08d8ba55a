//! What stands in for patterns where they are left out: it exists to say what to do.

use super::argument::Argument;

/// What no type implements.
#[diagnostic::on_unimplemented(
    message = "`pattern` is an optional part of `mcp-runtime`",
    label = "the feature `pattern` is off",
    note = "write `features = [\"pattern\"]` for `mcp-runtime` in `Cargo.toml`"
)]
pub trait PatternFeature {}

/// The patterns of a schema, which are only shown.
#[derive(Debug)]
pub(super) struct Patterns;

#[allow(
    clippy::unused_self,
    reason = "it stands in for what has something to say"
)]
impl Patterns {
    pub(super) fn new() -> Self {
        Self
    }

    /// Does nothing.
    pub(super) fn add(&mut self, _: &str) {}

    /// Whether a pattern is known to find nothing: never.
    pub(super) fn is_missed(&self, _: &str, _: &str) -> bool {
        false
    }
}

impl<T> Argument<T> {
    /// Does nothing, and the compiler says why.
    #[doc(hidden)]
    #[must_use]
    pub fn checked_pattern(self, _: &'static str) -> Self
    where
        T: PatternFeature,
    {
        self
    }
}
