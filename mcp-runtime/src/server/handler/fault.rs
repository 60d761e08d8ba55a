//! What is wrong with a call's arguments, in words that a model can act upon.

use std::fmt;

use crate::limits::{MAX_FAULT_BYTES, MAX_LISTED_FAULTS};
use crate::protocol::locate;

/// One value that does not fit.
#[derive(Debug)]
pub struct Fault {
    path: String,
    message: String,
}

impl Fault {
    /// A fault of the argument at `path`.
    pub(crate) fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            message: shorten(message.into()),
        }
    }

    /// The argument that it is of.
    pub(crate) fn argument(&self) -> &str {
        let end = self.path.find(['.', '[']).unwrap_or(self.path.len());
        &self.path[..end]
    }

    /// A fault somewhere inside `value`, at the place that `error` names.
    pub(crate) fn in_value(argument: &str, value: &str, error: &serde_json::Error) -> Self {
        let text = error.to_string();
        let message = match text.rfind(" at line ") {
            Some(end) => &text[..end],
            None => &text,
        };
        let mut path = argument.to_owned();
        locate(value, error, &mut path);
        Self::new(path, in_plain_words(message))
    }
}

impl Fault {
    /// Whether both are faults of one value, or of a value and something inside it.
    pub(crate) fn is_beside(&self, other: &Self) -> bool {
        is_within(&self.path, &other.path) || is_within(&other.path, &self.path)
    }
}

/// Whether the value at `path` is the one at `outer`, or inside it.
fn is_within(path: &str, outer: &str) -> bool {
    let rest = path.strip_prefix(outer);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// All faults of one call.
#[derive(Debug, Default)]
pub struct Faults(Vec<Fault>);

impl Faults {
    pub(crate) fn push(&mut self, fault: Fault) {
        self.0.push(fault);
    }

    /// Adds what a schema has found, and what the decoder has told, unless that is about the same.
    pub(crate) fn push_explained(&mut self, found: Vec<Fault>, told: Fault) {
        let is_new = !found.iter().any(|fault| fault.is_beside(&told));
        self.0.extend(found);
        self.0.extend(is_new.then_some(told));
    }

    /// Whether something is wrong with the argument, or inside it.
    pub(crate) fn are_of(&self, argument: &str) -> bool {
        self.0.iter().any(|fault| is_within(&fault.path, argument))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn into_result(self) -> Result<(), Self> {
        if self.0.is_empty() { Ok(()) } else { Err(self) }
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("The arguments do not fit:")?;
        for Fault { path, message } in self.0.iter().take(MAX_LISTED_FAULTS) {
            write!(f, "\n- `{path}`: {message}")?;
        }
        match self.0.len().saturating_sub(MAX_LISTED_FAULTS) {
            0 => Ok(()),
            more => write!(f, "\n- and {more} more"),
        }
    }
}

/// The types of Rust, which mean nothing to a model, as a schema has them.
const WORDS: [(&str, &str); 14] = [
    ("i8", "an integer from -128 to 127"),
    ("u8", "an integer from 0 to 255"),
    ("i16", "an integer from -32768 to 32767"),
    ("u16", "an integer from 0 to 65535"),
    ("i32", "an integer from -2147483648 to 2147483647"),
    ("u32", "an integer from 0 to 4294967295"),
    ("i64", "an integer of 64 bits"),
    ("u64", "an integer of 64 bits that is not negative"),
    ("isize", "an integer of 64 bits"),
    ("usize", "an integer of 64 bits that is not negative"),
    ("i128", "an integer of 128 bits"),
    ("u128", "an integer of 128 bits that is not negative"),
    ("f32", "a number"),
    ("f64", "a number"),
];

/// What a schema has for the type of Rust called `name`.
pub(crate) fn words_of_type(name: &str) -> Option<&'static str> {
    let known = WORDS.iter().find(|(known, _)| *known == name);
    known.map(|(_, words)| *words)
}

/// The message with words of JSON for what was expected.
fn in_plain_words(message: &str) -> String {
    let Some((found, expected)) = message.rsplit_once(", expected ") else {
        return message.to_owned();
    };
    let is_object = ["struct ", "internally tagged enum ", "a map"]
        .iter()
        .any(|kind| expected.starts_with(kind));
    let words = match words_of_type(expected) {
        Some(words) => words,
        None if is_object => "an object",
        None => expected,
    };
    format!("{found}, expected {words}")
}

fn shorten(mut message: String) -> String {
    if message.len() > MAX_FAULT_BYTES {
        message.truncate(message.floor_char_boundary(MAX_FAULT_BYTES));
        message.push('…');
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_expected_is_said_without_the_words_of_rust() {
        for (message, words) in [
            (
                "invalid type: null, expected u8",
                "an integer from 0 to 255",
            ),
            ("invalid type: null, expected f64", "a number"),
            ("invalid type: null, expected struct Book", "an object"),
            (
                "invalid type: string \"x, expected u8\", expected a string",
                "a string",
            ),
        ] {
            let plain = in_plain_words(message);
            assert!(plain.ends_with(&format!(", expected {words}")), "{plain}");
        }
        let other = "invalid IP address syntax";
        assert_eq!(in_plain_words(other), other);
    }
}
