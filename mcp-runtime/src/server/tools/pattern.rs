//! Regular expressions for the values of arguments.

use mcp_types::OrderedMap;
use regex_lite::Regex;
use thiserror::Error;

/// A type whose values are text.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot have a `pattern`",
    label = "not text",
    note = "a pattern is for a `String`, also in an `Option`"
)]
pub trait Texty {}

impl Texty for String {}

impl<T: Texty> Texty for Option<T> {}

/// A pattern that cannot be searched for.
#[derive(Debug, Error)]
#[error("argument `{argument}`: `{pattern}` is no regular expression: {source}")]
pub struct InvalidPattern {
    argument: &'static str,
    pattern: &'static str,
    source: regex_lite::Error,
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
