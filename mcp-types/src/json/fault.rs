//! What is said about text that can't be decoded.
//!
//! The words are serde's and serde_json's, and so is the way in which a place is told. All of this
//! is off the path of messages that are as they should be.

use serde::de::{Deserialize, Error as _, IgnoredAny};
use serde_json::Error;

/// The text is not what it should be here. Nobody sees this: serde_json is asked for the reason.
#[cold]
pub(super) fn fault() -> Error {
    Error::custom("invalid JSON")
}

/// Why `text` is no JSON, in serde_json's words, if it is none.
#[cold]
pub(crate) fn no_json(text: &str) -> Option<Error> {
    reason(text, None)
}

/// What is wrong with `text`: that it begins with no JSON value, that the value is a misfit, or that
/// something follows it.
#[cold]
pub(super) fn reason(text: &str, misfit: Option<Error>) -> Option<Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    let ignored = IgnoredAny::deserialize(&mut json);
    let fault = ignored.err().or(misfit);
    fault.or_else(|| json.end().err())
}

/// `message`, which is about that place in `text`.
#[cold]
pub(super) fn at(text: &[u8], place: usize, message: &str) -> Error {
    let before = text.get(..place).unwrap_or(text);
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
    at(
        text.as_bytes(),
        start + before + error.column(),
        &words(error),
    )
}

#[cfg(test)]
mod tests {
    use super::super::reader::Reader;
    use super::*;

    #[test]
    fn a_place_is_told_as_serde_json_tells_it() {
        for text in ["[1,\n 2,\n  x]", "\n\n{\"a\"}", "x"] {
            let expected = no_json(text).unwrap();
            let lines = text.split_inclusive('\n').take(expected.line() - 1);
            let place = lines.map(str::len).sum::<usize>() + expected.column();
            let found = at(text.as_bytes(), place, &words(&expected));
            assert_eq!(found.to_string(), expected.to_string());
            assert_eq!(
                (found.line(), found.column()),
                (expected.line(), expected.column())
            );
        }
    }

    #[test]
    fn what_is_found_instead_is_told_as_serde_json_tells_it() {
        for found in ["7", " {}", "\n1.5", "\"ab\"", "null", "[1]", "true", "-0"] {
            let error = Reader::of_valid(found).misfit(&"a character");
            let expected = serde_json::from_str::<char>(found).unwrap_err();
            assert_eq!(
                error.to_string(),
                expected
                    .to_string()
                    .replace("invalid value", "invalid type")
            );
        }
    }
}
