//! Regular expressions for the values of arguments.

use mcp_types::OrderedMap;
use regex_lite::Regex;
use thiserror::Error;

use super::argument::Argument;

/// A type whose values are text.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot have a `pattern`",
    label = "not text",
    note = "a pattern is for a `String`, also in an `Option`"
)]
pub trait Texty {
    /// The text to look at; `None` where there is nothing to check.
    fn text(&self) -> Option<&str>;
}

impl Texty for String {
    fn text(&self) -> Option<&str> {
        Some(self)
    }
}

impl<T: Texty> Texty for Option<T> {
    fn text(&self) -> Option<&str> {
        self.as_ref().and_then(T::text)
    }
}

/// The patterns of a schema, compiled.
#[derive(Debug)]
pub(super) struct Patterns(OrderedMap<Regex>);

impl Patterns {
    pub(super) fn new() -> Self {
        Self(OrderedMap::new())
    }

    /// Compiles `pattern`; one that cannot be searched for stays what it was, a description.
    pub(super) fn add(&mut self, pattern: &str) {
        match Regex::new(pattern) {
            Ok(regex) => {
                self.0.insert(pattern.to_owned(), regex);
            }
            Err(error) => tracing::warn!(pattern, %error, "a pattern is shown but not enforced"),
        }
    }

    /// Whether `pattern` finds nothing in `text`.
    pub(super) fn is_missed(&self, pattern: &str, text: &str) -> bool {
        self.0
            .get(pattern)
            .is_some_and(|regex| !regex.is_match(text))
    }
}

/// A pattern that cannot be searched for.
#[derive(Debug, Error)]
#[error("argument `{argument}`: `{pattern}` is no regular expression: {source}")]
pub struct InvalidPattern {
    argument: &'static str,
    pattern: &'static str,
    source: regex_lite::Error,
}

impl<T> Argument<T> {
    /// Accepts only texts in which the regular expression finds something.
    ///
    /// Look-around and back-references are not known, which JSON Schema leaves open.
    ///
    /// ```
    /// use mcp_runtime::server::tools::argument;
    ///
    /// let isbn = argument::<String>("isbn").pattern("^[0-9]{13}$")?;
    /// assert!(argument::<String>("isbn").pattern("[0-9").is_err());
    /// # drop(isbn);
    /// # Ok::<(), mcp_runtime::server::tools::InvalidPattern>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When `pattern` is no regular expression.
    pub fn pattern(self, pattern: &'static str) -> Result<Self, InvalidPattern>
    where
        T: Texty,
    {
        match Regex::new(pattern) {
            Ok(regex) => Ok(self.matching(pattern, regex)),
            Err(source) => Err(InvalidPattern {
                argument: self.name,
                pattern,
                source,
            }),
        }
    }

    /// The same for a pattern that the macro has compiled already; another one fits nothing.
    #[doc(hidden)]
    #[must_use]
    pub fn checked_pattern(self, pattern: &'static str) -> Self
    where
        T: Texty,
    {
        match Regex::new(pattern) {
            Ok(regex) => self.matching(pattern, regex),
            Err(error) => {
                self.check(move |_| Err(format!("`{pattern}` is no regular expression: {error}")))
            }
        }
    }

    fn matching(self, pattern: &'static str, regex: Regex) -> Self
    where
        T: Texty,
    {
        self.keyword("pattern", pattern)
            .check(move |value| match value.text() {
                Some(text) if !regex.is_match(text) => {
                    Err(format!("does not match the pattern `{pattern}`"))
                }
                _ => Ok(()),
            })
    }
}
