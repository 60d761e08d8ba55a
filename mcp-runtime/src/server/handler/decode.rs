//! Arguments from raw JSON into typed slots.
//!
//! Each value stays where it stands until its slot decodes it. When a value does not fit, the
//! others are decoded all the same, so that every fault is found at once.

use std::borrow::Cow;
use std::fmt;

use mcp_types::{RawJsonRef, integer_digits};
use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Deserializer;

use super::fault::{Fault, Faults};

/// A place for one argument's value.
pub trait Slot {
    /// The argument's name on the wire.
    fn name(&self) -> &'static str;

    /// Whether it holds a value.
    fn is_filled(&self) -> bool;

    /// Decodes `json`, one value without white space around it.
    ///
    /// Everything that is wrong with the value goes to `faults`. Returns whether it was decoded.
    fn read(&mut self, json: &str, faults: &mut Faults) -> bool;

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
    let mut arguments = Arguments {
        slots,
        strict,
        failed: Vec::new(),
        faults: Faults::default(),
    };
    if let Some(text) = text
        && Deserializer::from_str(text)
            .deserialize_map(&mut arguments)
            .is_err()
    {
        arguments.faults.push(no_object());
        return Err(arguments.faults);
    }
    let Arguments {
        failed, mut faults, ..
    } = arguments;
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

/// The arguments of one call, while they are decoded.
struct Arguments<'a, 's> {
    slots: &'a mut [&'s mut dyn Slot],
    strict: bool,
    /// The indices of slots whose value does not fit.
    failed: Vec<usize>,
    faults: Faults,
}

/// The name of a member, borrowed where it has no escapes.
#[derive(serde::Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Visitor<'de> for &mut Arguments<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut expected = 0;
        while let Some((Name(name), json)) = members.next_entry::<_, RawJsonRef<'de>>()? {
            match self.position(&name, expected) {
                Some(index) => {
                    expected = index + 1;
                    self.fill(index, &name, json.get());
                }
                None if self.strict => self.faults.push(Fault::new(&*name, "unknown argument")),
                None => {}
            }
        }
        Ok(())
    }
}

impl Arguments<'_, '_> {
    /// Which slot is called `name`; most callers keep the declared order.
    fn position(&self, name: &str, expected: usize) -> Option<usize> {
        let is_it = |index: &usize| {
            let slot = self.slots.get(*index);
            slot.is_some_and(|slot| slot.name() == name)
        };
        Some(expected)
            .filter(is_it)
            .or_else(|| (0..self.slots.len()).find(is_it))
    }

    fn fill(&mut self, index: usize, name: &str, json: &str) {
        let slot = &mut self.slots[index];
        let is_read = if slot.is_filled() {
            self.faults.push(Fault::new(name, "given twice"));
            false
        } else {
            slot.read(json, &mut self.faults)
        };
        if !is_read {
            self.failed.push(index);
        }
    }
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
        let (token, after) = token.split_at(token_length(token)?);
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

/// The length in bytes of the string or number that `text` begins with.
fn token_length(text: &str) -> Option<usize> {
    let mut values = Deserializer::from_str(text).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    Some(values.byte_offset())
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
