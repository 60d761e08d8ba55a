//! Regular expressions for the values of arguments. Without the feature `pattern`, arguments can't
//! declare patterns, and patterns in schemas are listed but not enforced.

use mcp_types::OrderedMap;
#[cfg(feature = "pattern")]
use regex_lite::{Error as RegexError, Regex};
use thiserror::Error;

/// A type whose values are strings, and can be checked by a pattern.
#[cfg_attr(
    feature = "pattern",
    diagnostic::on_unimplemented(
        message = "`{Self}` cannot have a `pattern`",
        label = "not text",
        note = "`pattern` is for a `String` or an `Option<String>`"
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

/// The error for a pattern that is not a regular expression.
#[derive(Debug, Error)]
#[error("argument `{argument}`: `{pattern}` is not a regular expression: {source}")]
pub struct InvalidPattern {
    argument: &'static str,
    pattern: &'static str,
    source: RegexError,
}

pub(super) fn check(argument: &'static str, pattern: &'static str) -> Result<(), InvalidPattern> {
    let invalid = |source| InvalidPattern {
        argument,
        pattern,
        source,
    };
    Regex::new(pattern).map(drop).map_err(invalid)
}

/// The compiled patterns of a schema.
#[derive(Clone, Debug, Default)]
pub(super) struct Patterns(OrderedMap<Regex>);

impl Patterns {
    /// Compiles `pattern`. If it is not a regular expression, the schema still lists it, but it is
    /// not enforced.
    pub(super) fn add(&mut self, pattern: &str) {
        match Regex::new(pattern) {
            Ok(regex) => drop(self.0.insert(pattern.to_owned(), regex)),
            Err(error) => crate::log::warn!(pattern, %error, "a pattern is shown but not enforced"),
        }
    }

    /// Returns true if `text` has no match of `pattern`.
    pub(super) fn is_missed(&self, pattern: &str, text: &str) -> bool {
        let regex = self.0.get(pattern);
        regex.is_some_and(|regex| !regex.is_match(text))
    }
}

#[cfg(not(feature = "pattern"))]
type RegexError = std::convert::Infallible;

/// A placeholder for a regular expression that matches every string.
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
