//! Patterns without the feature `pattern`: none can be declared, and those of schemas are only
//! shown.

use std::convert::Infallible;

/// A type that no other implements.
#[diagnostic::on_unimplemented(
    message = "`pattern` is an optional part of `mcp-runtime`",
    label = "the feature `pattern` is off",
    note = "write `features = [\"pattern\"]` for `mcp-runtime` in `Cargo.toml`"
)]
pub trait Texty {}

/// An invalid pattern, which does not occur without the feature `pattern`.
pub type InvalidPattern = Infallible;

/// Accepts every pattern.
#[allow(
    clippy::unnecessary_wraps,
    reason = "has the signature of its counterpart"
)]
pub(super) fn check(_: &'static str, _: &'static str) -> Result<(), InvalidPattern> {
    Ok(())
}

/// The patterns of a schema, which are not enforced.
#[derive(Clone, Debug, Default)]
pub(super) struct Patterns {}

#[allow(clippy::unused_self, reason = "has the signatures of its counterpart")]
impl Patterns {
    /// Does nothing.
    pub(super) fn add(&mut self, _: &str) {}

    /// Returns true if `text` lacks a match of a pattern: never.
    pub(super) fn is_missed(&self, _: &str, _: &str) -> bool {
        false
    }
}
