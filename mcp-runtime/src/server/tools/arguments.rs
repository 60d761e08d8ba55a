//! Reads the arguments of a call from raw JSON into typed slots.
//!
//! Each value stays raw until its slot decodes it. When one is not valid the others are decoded all
//! the same, so that every error is found at once.

use std::borrow::Cow;
use std::fmt;

use mcp_types::{RawJsonRef, integer_digits};
use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde_json::Deserializer;

use super::parameter::Parameter;
use crate::server::handler::error::{ArgumentError, InvalidArguments};

/// A slot for the value of one argument.
pub trait Slot {
    /// The description of the argument.
    fn parameter(&self) -> &Parameter;

    /// Returns true if it holds a value.
    fn is_filled(&self) -> bool;

    /// Decodes `json` and keeps the value.
    ///
    /// # Errors
    ///
    /// When the type can't be decoded from it.
    fn decode(&mut self, json: &str) -> serde_json::Result<()>;

    /// Takes the value that stands for an absent one, if there is any.
    fn fill_absent(&mut self);
}

/// Fills `slots` from the object `text`.
///
/// Unknown members are skipped, or are errors if `strict`.
pub(super) fn read(
    text: &str,
    slots: &mut [&mut dyn Slot],
    strict: bool,
) -> Result<(), InvalidArguments> {
    let mut reader = ArgumentsReader {
        slots,
        strict,
        invalid: Vec::new(),
        errors: Vec::new(),
    };
    let read = Deserializer::from_str(text).deserialize_map(&mut reader);
    let ArgumentsReader {
        invalid,
        mut errors,
        ..
    } = reader;
    if let Err(error) = read {
        errors.push(ArgumentError::from_decoder("", text, &error));
    }
    for slot in slots {
        if slot.is_filled() || invalid.contains(&slot.parameter().name) {
            continue;
        }
        slot.fill_absent();
        let parameter = slot.parameter();
        if slot.is_filled() {
            parameter.check_default(&mut errors);
        } else {
            let message = format!("missing, expected {}", parameter.validation().expected());
            errors.push(ArgumentError::new(parameter.name, message));
        }
    }
    InvalidArguments(errors).into_result()
}

/// Decodes `text`, the value of the argument of `slot`, and checks it against its schema.
///
/// JSON Schema takes `2.0` and `1e2` for integers, which decoders of integer types do not; they are
/// accepted. So is `null` for an argument that may be left out. Returns whether the value is valid.
pub(super) fn read_value(slot: &mut dyn Slot, text: &str, errors: &mut Vec<ArgumentError>) -> bool {
    let name = slot.parameter().name;
    let mut text = Cow::Borrowed(text);
    let mut decoded = slot.decode(&text);
    if decoded.is_err() {
        if text == "null" && !slot.parameter().is_required {
            return true;
        }
        if let Some(plain) = with_plain_integers(&text) {
            decoded = slot.decode(&plain);
            text = Cow::Owned(plain);
        }
    }
    let parameter = slot.parameter();
    match decoded {
        Ok(()) => parameter.check(&text, errors),
        Err(error) => {
            let error = ArgumentError::from_decoder(name, &text, &error);
            parameter.validation().explain(name, &text, error, errors);
            return false;
        }
    }
    true
}

/// The arguments of one call, while they are decoded.
struct ArgumentsReader<'a, 's> {
    slots: &'a mut [&'s mut dyn Slot],
    strict: bool,
    /// The names of arguments whose value was given and not decoded.
    invalid: Vec<&'static str>,
    errors: Vec<ArgumentError>,
}

/// The name of a member, borrowed where it has no escapes.
#[derive(serde::Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Visitor<'de> for &mut ArgumentsReader<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with one member per argument")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some((Name(name), json)) = members.next_entry::<_, RawJsonRef<'de>>()? {
            let mut slots = self.slots.iter_mut();
            match slots.find(|slot| slot.parameter().name == name) {
                Some(slot) if slot.is_filled() => {
                    self.errors.push(ArgumentError::new(name, "given twice"));
                }
                Some(slot) => {
                    let is_valid = read_value(&mut **slot, json.get(), &mut self.errors);
                    if !is_valid {
                        self.invalid.push(slot.parameter().name);
                    }
                }
                None if self.strict => {
                    let error = ArgumentError::new(name, "unknown argument");
                    self.errors.push(error);
                }
                None => {}
            }
        }
        Ok(())
    }
}

/// The longest integer that is written out: no integer type has more digits.
const MAX_DIGITS: usize = 40;

/// `text`, which is one JSON value, with plain digits for its integers in other spellings, such as
/// `2.0` and `1e2`; `None` if it has none of those.
pub(in crate::server) fn with_plain_integers(text: &str) -> Option<String> {
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
