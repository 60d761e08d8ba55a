//! Regular expressions for the values of arguments. Without the feature `pattern`, none can be
//! declared, and those of schemas are shown but not enforced.

use mcp_types::OrderedMap;
#[cfg(feature = "pattern")]
use regex_lite::{Error as RegexError, Regex};
use thiserror::Error;

/// A type whose values are text.
#[cfg_attr(
    feature = "pattern",
    diagnostic::on_unimplemented(
        message = "`{Self}` cannot have a `pattern`",
        label = "not text",
        note = "a pattern is for a `String`, also in an `Option`"
    )
)]
#[cfg_attr(
    not(feature = "pattern"),
    diagnostic::on_unimplemented(
        message = "`pattern` is an optional part of `mcp-runtime`",
        label = "the feature `pattern` is off",
        note = "write `features = [\"pattern\"]` for `mcp-runtime` in `Cargo.toml`"
    )
)]
pub trait PatternArgument {}

#[cfg(feature = "pattern")]
impl PatternArgument for String {}

#[cfg(feature = "pattern")]
impl<T: PatternArgument> PatternArgument for Option<T> {}

/// A pattern that cannot be searched for.
#[derive(Debug, Error)]
#[error("argument `{argument}`: `{pattern}` is no regular expression: {source}")]
pub struct InvalidPattern {
    argument: &'static str,
    pattern: &'static str,
    source: RegexError,
}

/// Checks that `pattern` is a regular expression.
pub(super) fn check(argument: &'static str, pattern: &'static str) -> Result<(), InvalidPattern> {
    let invalid = |source| InvalidPattern {
        argument,
        pattern,
        source,
    };
    Regex::new(pattern).map(drop).map_err(invalid)
}

/// The patterns of a schema, compiled.
#[derive(Clone, Debug, Default)]
pub(super) struct Patterns(OrderedMap<Regex>);

impl Patterns {
    /// Compiles `pattern`; one that is no regular expression is shown but not enforced.
    pub(super) fn add(&mut self, pattern: &str) {
        match Regex::new(pattern) {
            Ok(regex) => drop(self.0.insert(pattern.to_owned(), regex)),
            Err(error) => crate::log::warn!(pattern, %error, "a pattern is shown but not enforced"),
        }
    }

    /// Returns true if `text` lacks a match of `pattern`.
    pub(super) fn is_missed(&self, pattern: &str, text: &str) -> bool {
        let regex = self.0.get(pattern);
        regex.is_some_and(|regex| !regex.is_match(text))
    }
}

#[cfg(not(feature = "pattern"))]
type RegexError = std::convert::Infallible;

/// Stands for every pattern, and matches every text.
#[cfg(not(feature = "pattern"))]
#[derive(Clone, Debug)]
struct Regex;

#[cfg(not(feature = "pattern"))]
#[allow(
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "has the signatures of its counterpart"
)]
impl Regex {
    fn new(_: &str) -> Result<Self, RegexError> {
        Ok(Self)
    }

    fn is_match(&self, _: &str) -> bool {
        true
    }
}
