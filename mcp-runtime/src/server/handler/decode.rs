//! Arguments from raw bytes into typed slots, in one pass.
//!
//! The object's own structure is scanned here, and each value is handed to its slot where it
//! stands: nothing is copied, and no intermediate value is built. When a value does not fit, the
//! pass goes on behind it, so that every fault is found at once.

use std::borrow::Cow;

use mcp_types::integer_digits;
use serde::de::IgnoredAny;

use super::fault::{Fault, Faults};

/// A place for one argument's value.
pub trait Slot {
    /// The argument's name on the wire.
    fn name(&self) -> &'static str;

    /// Whether it holds a value.
    fn is_filled(&self) -> bool;

    /// Decodes the value that `text` begins with; returns how many bytes it took.
    ///
    /// Everything that is wrong with the value goes to `faults`; `None` if it could not be decoded.
    fn read(&mut self, text: &str, faults: &mut Faults) -> Option<usize>;

    /// Takes the default if there was no value, and checks the constraints.
    fn finish(&mut self) -> Result<(), String>;
}

/// Fills `slots` from the object `text`; `None` counts as an empty object.
///
/// Unknown members are skipped, or are faults if `strict`.
pub(crate) fn read(
    text: Option<&str>,
    slots: &mut [&mut dyn Slot],
    strict: bool,
) -> Result<(), Faults> {
    let mut faults = Faults::default();
    let mut failed = vec![];
    if let Some(text) = text {
        let mut scanner = Scanner { text, at: 0 };
        if members(&mut scanner, slots, strict, &mut failed, &mut faults).is_none() {
            faults.push(no_object());
            return Err(faults);
        }
    }
    for (index, slot) in slots.iter_mut().enumerate() {
        if !failed.contains(&index)
            && let Err(message) = slot.finish()
        {
            faults.push(Fault::new(slot.name(), message));
        }
    }
    faults.into_result()
}

/// What is wrong with arguments that are no object.
pub(crate) fn no_object() -> Fault {
    Fault::new(
        "arguments",
        "expected an object with one member per argument",
    )
}

/// Reads all members; `None` if `text` is no object.
fn members(
    scanner: &mut Scanner<'_>,
    slots: &mut [&mut dyn Slot],
    strict: bool,
    failed: &mut Vec<usize>,
    faults: &mut Faults,
) -> Option<()> {
    scanner.eat(b'{')?;
    if scanner.eat(b'}').is_some() {
        return Some(());
    }
    let mut expected = 0;
    loop {
        let name = scanner.string()?;
        scanner.eat(b':')?;
        let value = scanner.rest();
        match position(slots, &name, expected) {
            Some(index) => {
                expected = index + 1;
                let slot = &mut slots[index];
                let taken = if slot.is_filled() {
                    faults.push(Fault::new(&*name, "given twice"));
                    None
                } else {
                    slot.read(value, faults)
                };
                if taken.is_none() {
                    failed.push(index);
                }
                scanner.at += taken.or_else(|| skip(value))?;
            }
            None => {
                if strict {
                    faults.push(Fault::new(&*name, "unknown argument"));
                }
                scanner.at += skip(value)?;
            }
        }
        if scanner.eat(b',').is_none() {
            return scanner.eat(b'}');
        }
    }
}

/// Which slot is called `name`; most callers keep the declared order.
fn position(slots: &[&mut dyn Slot], name: &str, expected: usize) -> Option<usize> {
    let is_it = |index: &usize| slots.get(*index).is_some_and(|slot| slot.name() == name);
    Some(expected)
        .filter(is_it)
        .or_else(|| (0..slots.len()).find(is_it))
}

/// The length of the value that `text` begins with.
pub(crate) fn skip(text: &str) -> Option<usize> {
    let skipped = mcp_types::from_prefix::<IgnoredAny>(text);
    skipped.ok().map(|(_, taken)| taken)
}

/// The longest integer that is written out: no integer type has more digits.
const MAX_DIGITS: usize = 40;

/// `text`, which is one JSON value, with plain digits for its integers in other spellings, such as
/// `2.0` and `1e2`; `None` if it has none of those. To JSON Schema they are integers, to decoders of
/// integer types they are not.
pub(crate) fn with_plain_integers(text: &str) -> Option<String> {
    let (mut plain, mut rest, mut differs) = (String::new(), text, false);
    let begins = |letter: char| letter == '"' || letter == '-' || letter.is_ascii_digit();
    while let Some(start) = rest.find(begins) {
        let (before, token) = rest.split_at(start);
        let (token, after) = token.split_at(skip(token)?);
        let digits = integer_digits(token).filter(|digits| {
            !token.starts_with('"') && digits.len() <= MAX_DIGITS && **digits != *token
        });
        differs |= digits.is_some();
        plain.extend([before, digits.as_deref().unwrap_or(token)]);
        rest = after;
    }
    plain.push_str(rest);
    differs.then_some(plain)
}

/// Where a scan of JSON text has got to.
pub(super) struct Scanner<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl<'a> Scanner<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The text from the next token on.
    pub(super) fn rest(&mut self) -> &'a str {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Steps over `byte`, if it comes next.
    pub(super) fn eat(&mut self, byte: u8) -> Option<()> {
        self.rest();
        (self.peek() == Some(byte)).then(|| self.at += 1)
    }

    /// Steps over a string and returns it, without a copy unless it has escapes.
    pub(super) fn string(&mut self) -> Option<Cow<'a, str>> {
        let rest = self.rest();
        let inner = rest.strip_prefix('"')?;
        let end = inner.find(['"', '\\'])?;
        if inner.as_bytes()[end] == b'"' {
            self.at += end + 2;
            return inner.get(..end).map(Cow::Borrowed);
        }
        let (text, taken) = mcp_types::from_prefix::<String>(rest).ok()?;
        self.at += taken;
        Some(Cow::Owned(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_in_other_spellings_become_plain_digits() {
        let text = r#" {"1.0": [ 1.0,-2e0 , 3,4.5, 1e2], "a": "5.0 \" 6.0", "b": {"c": -0}} "#;
        let plain = r#" {"1.0": [ 1,-2 , 3,4.5, 100], "a": "5.0 \" 6.0", "b": {"c": 0}} "#;
        assert_eq!(with_plain_integers(text).as_deref(), Some(plain));
        for text in [
            r#"{"a": [1, -2, "3.0", 4.5, 1e300, 1e-2]}"#,
            "7",
            "\"1.0\"",
            "null",
        ] {
            assert_eq!(with_plain_integers(text), None, "{text}");
        }
    }
}
