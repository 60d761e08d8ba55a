//! Regular expressions for the values of arguments.

use regex_lite::Regex;

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

impl<T> Argument<T> {
    /// Accepts only texts in which the regular expression finds something.
    ///
    /// Look-around and back-references are not known, which JSON Schema leaves open.
    ///
    /// # Panics
    ///
    /// When `pattern` is no regular expression.
    #[must_use]
    pub fn pattern(self, pattern: &'static str) -> Self
    where
        T: Texty,
    {
        let regex = match Regex::new(pattern) {
            Ok(regex) => regex,
            Err(error) => panic!("`{pattern}` is no regular expression: {error}"),
        };
        self.keyword("pattern", pattern)
            .check(move |value| match value.text() {
                Some(text) if !regex.is_match(text) => {
                    Err(format!("does not match the pattern `{pattern}`"))
                }
                _ => Ok(()),
            })
    }
}
