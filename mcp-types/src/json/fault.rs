//! What is said about text that can't be decoded.
//!
//! The words are serde's and serde_json's, and so is the way in which a place is told. All of this
//! is off the path of messages that are as they should be.

use std::convert::Infallible;
use std::fmt;

use serde::de::{Deserializer, Error as _, Visitor};
use serde_json::Error;

/// The text is not what it should be here. Nobody sees this: serde_json is asked for the reason.
#[cold]
pub(super) fn fault() -> Error {
    Error::custom("invalid JSON")
}

/// `message`, which is about that place in `text`.
#[cold]
pub(super) fn at(text: &str, place: usize, message: &str) -> Error {
    let before = text.as_bytes().get(..place).unwrap_or(text.as_bytes());
    let mut lines = before.rsplit(|byte| *byte == b'\n');
    let column = lines.next().map_or(0, <[u8]>::len);
    let line = 1 + lines.count();
    // This is how serde_json takes a place.
    Error::custom(format_args!("{message} at line {line} column {column}"))
}

/// The words of an error, without the place.
#[cold]
pub(crate) fn words(error: &Error) -> String {
    let mut words = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    if words.ends_with(&place) {
        words.truncate(words.len() - place.len());
    }
    words
}

/// `error`, which is about what begins at `start`, as one about the whole `text`.
#[cold]
pub(super) fn of_part(text: &str, start: usize, error: &Error) -> Error {
    let part = text.get(start..).unwrap_or_default();
    let lines = part.split_inclusive('\n').take(error.line().max(1) - 1);
    let before: usize = lines.map(str::len).sum();
    at(text, start + before + error.column(), &words(error))
}

/// What begins at `start` is not what was expected, or not even a value.
#[cold]
pub(super) fn misfit(text: &str, start: usize, expected: &str) -> Error {
    let part = text.get(start..).unwrap_or_default();
    let mut found = serde_json::Deserializer::from_str(part);
    match found.deserialize_any(Nothing(expected)) {
        Ok(never) => match never {},
        Err(error) => of_part(text, start, &error),
    }
}

/// Takes no value, and says what was expected instead.
struct Nothing<'a>(&'a str);

impl Visitor<'_> for Nothing<'_> {
    type Value = Infallible;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_told_as_serde_json_tells_it() {
        for text in ["[1,\n 2,\n  x]", "\n\n{\"a\"}", "x"] {
            let expected = serde_json::from_str::<serde_json::Value>(text).unwrap_err();
            let lines = text.split_inclusive('\n').take(expected.line() - 1);
            let place = lines.map(str::len).sum::<usize>() + expected.column();
            let found = at(text, place, &words(&expected));
            assert_eq!(found.to_string(), expected.to_string());
            assert_eq!(
                (found.line(), found.column()),
                (expected.line(), expected.column())
            );
        }
    }

    #[test]
    fn what_is_found_instead_is_told_as_serde_tells_it() {
        let text = "[\n  7, {}, 1.5, \"a\", null, x]";
        for (start, words) in [
            (
                4,
                "invalid type: integer `7`, expected a list at line 2 column 3",
            ),
            (7, "invalid type: map, expected a list at line 2 column 7"),
            (
                11,
                "invalid type: floating point `1.5`, expected a list at line 2 column 12",
            ),
            (
                16,
                "invalid type: string \"a\", expected a list at line 2 column 17",
            ),
            (
                21,
                "invalid type: null, expected a list at line 2 column 23",
            ),
            (27, "expected value at line 2 column 26"),
        ] {
            assert_eq!(misfit(text, start, "a list").to_string(), words);
        }
    }
}
