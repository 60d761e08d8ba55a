//! Reads the arguments of a call from raw JSON into typed slots.
//!
//! Each value stays raw until its slot decodes it. When one is not valid the others are decoded all
//! the same, so that every error is found at once.

use std::borrow::Cow;
use std::fmt;

use mcp_types::{RawJsonRef, integer_digits};
use schemars::JsonSchema;
use serde::de::value::Error;
use serde::de::{DeserializeOwned, Deserializer as _, Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Serialize, forward_to_deserialize_any};
use serde_json::{Deserializer, Value};

use super::parameter::Parameter;
use crate::server::handler::error::{ArgumentError, InvalidArguments};
use crate::server::handler::run::Rejection;

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

/// A type whose values callers can send: anything with `Deserialize` and `JsonSchema`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument",
    label = "needs `Deserialize` and `JsonSchema`",
    note = "add `#[derive(Deserialize, JsonSchema)]` to it, or to your type inside it",
    note = "what comes from the call's context instead is taken by reference: `&{Self}`"
)]
pub trait ToolArgument: DeserializeOwned + JsonSchema + Send + 'static {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + Send + 'static> ToolArgument for T {}

/// The description of one argument.
pub struct Argument<T> {
    pub(super) parameter: Parameter,
    decode: fn(&str) -> serde_json::Result<T>,
    /// The value that the type itself has for an absent argument, as an `Option` has.
    absent: fn() -> Option<T>,
    /// The declared default.
    default: Option<fn() -> T>,
}

/// A type whose values can be shown in a schema, as defaults and examples are.
#[diagnostic::on_unimplemented(
    message = "a value of `{Self}` cannot be shown in the schema",
    label = "needs `Serialize`",
    note = "defaults and examples are part of the schema: add `#[derive(Serialize)]` to `{Self}`"
)]
pub trait Shown {
    /// The value as JSON.
    fn shown(&self) -> Value;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize> Shown for T {
    fn shown(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// An argument called `name`, of the type `T`.
#[must_use]
pub fn argument<T: ToolArgument>(name: &'static str) -> Argument<T> {
    let absent = || T::deserialize(Absent).ok();
    Argument {
        parameter: Parameter::new::<T>(name, absent().is_none()),
        decode: |json| serde_json::from_str(json),
        absent,
        default: None,
    }
}

/// The source of a value that is absent.
///
/// The type is asked for a value, not looked at, so that an alias of `Option` has one too.
struct Absent;

impl<'de> serde::Deserializer<'de> for Absent {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("missing"))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_none()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<T> Argument<T> {
    /// Says what the argument is for.
    #[must_use]
    pub fn description(self, text: impl Into<Cow<'static, str>>) -> Self {
        self.annotate("description", text.into().into())
    }

    /// The value of a call that leaves the argument out.
    #[must_use]
    pub fn default(mut self, make: fn() -> T) -> Self
    where
        T: Shown,
    {
        self.default = Some(make);
        self.parameter.is_required = false;
        self.annotate("default", make().shown())
    }

    /// Shows what a value may look like.
    #[must_use]
    pub fn example(self, make: fn() -> T) -> Self
    where
        T: Shown,
    {
        self.annotate("examples", vec![make().shown()].into())
    }

    fn annotate(mut self, keyword: &str, value: Value) -> Self {
        self.parameter.annotate(keyword, value);
        self
    }

    /// An empty slot for one call's value.
    #[must_use]
    pub fn slot(&self) -> ArgumentSlot<'_, T> {
        ArgumentSlot {
            argument: self,
            value: None,
        }
    }
}

/// The value of one argument in one call.
pub struct ArgumentSlot<'a, T> {
    argument: &'a Argument<T>,
    value: Option<T>,
}

impl<T> ArgumentSlot<'_, T> {
    /// The value.
    ///
    /// # Errors
    ///
    /// When the slot was never read.
    pub fn take(self) -> Result<T, Rejection> {
        let name = self.argument.parameter.name;
        self.value.ok_or_else(|| Rejection::unread(name))
    }
}

impl<T> Slot for ArgumentSlot<'_, T> {
    fn parameter(&self) -> &Parameter {
        &self.argument.parameter
    }

    fn is_filled(&self) -> bool {
        self.value.is_some()
    }

    fn decode(&mut self, json: &str) -> serde_json::Result<()> {
        self.value = Some((self.argument.decode)(json)?);
        Ok(())
    }

    fn fill_absent(&mut self) {
        self.value = match self.argument.default {
            Some(make) => Some(make()),
            None => (self.argument.absent)(),
        };
    }
}

impl<T> std::fmt::Debug for Argument<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Argument")
            .field(&self.parameter.name)
            .finish()
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
