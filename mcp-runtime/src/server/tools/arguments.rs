//! Reads the arguments of a call from raw JSON into typed slots.
//!
//! Each value stays raw until its slot decodes it. When one is not valid the others are decoded all
//! the same, so that every error is found at once.

use std::borrow::Cow;
use std::fmt;

use mcp_types::{RawJsonRef, integer_digits};
use schemars::JsonSchema;
use serde::de::{DeserializeOwned, Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Deserializer, Value};

use super::parameter::Parameter;
use crate::advice::SkippedArguments;
use crate::limits::MAX_FOUND_FAULTS;
use crate::server::handler::{ArgumentError, CallRejection, InvalidArguments};

/// A slot for the value of one argument.
pub trait Slot {
    /// The description of the argument.
    fn parameter(&self) -> &Parameter;

    /// Returns true if the call has a value, valid or not.
    fn is_given(&self) -> bool;

    /// Decodes `json` and keeps the value.
    ///
    /// # Errors
    ///
    /// When the type can't be decoded from it.
    fn decode(&mut self, json: &str) -> serde_json::Result<()>;

    /// Takes the default value of an absent argument; returns false if there is none.
    fn fill_absent(&mut self) -> bool;
}

/// Fills `slots` from the object `text`.
///
/// What becomes of members that no slot takes is up to `unknown`.
pub(super) fn read(
    text: &str,
    slots: &mut [&mut dyn Slot],
    unknown: Unknown<'_>,
) -> Result<(), InvalidArguments> {
    let mut errors = Vec::new();
    let read = Deserializer::from_str(text).deserialize_map(ArgumentsReader {
        slots,
        unknown,
        errors: &mut errors,
    });
    if let Err(error) = read {
        errors.push(ArgumentError::from_decoder("", text, &error));
    }
    for slot in slots.iter_mut().filter(|slot| !slot.is_given()) {
        fill_absent(*slot, &mut errors);
    }
    InvalidArguments(errors).into_result()
}

/// Gives `slot` the default value of an absent argument.
fn fill_absent(slot: &mut dyn Slot, errors: &mut Vec<ArgumentError>) {
    let is_filled = slot.fill_absent();
    let parameter = slot.parameter();
    if is_filled {
        parameter.check_default(errors);
    } else {
        let message = format!("missing, expected {}", parameter.validation().expected());
        errors.push(ArgumentError::new(parameter.name, message));
    }
}

/// Decodes `text`, the value of the argument of `slot`, and checks it against its schema.
///
/// JSON Schema takes `2.0` and `1e2` for integers, which decoders of integer types do not; they are
/// accepted. So is `null` for an argument that may be left out, and for a lenient one JSON inside
/// of a string.
pub(super) fn read_value(slot: &mut dyn Slot, text: &str, errors: &mut Vec<ArgumentError>) {
    let mut text = Cow::Borrowed(text);
    let mut decoded = slot.decode(&text);
    if decoded.is_err() {
        if text == "null" && !slot.parameter().is_required {
            return fill_absent(slot, errors);
        }
        if let Some(plain) = with_plain_integers(&text) {
            decoded = slot.decode(&plain);
            text = Cow::Owned(plain);
        }
        if slot.parameter().is_lenient
            && let Some(inner) = inside_of_string(&text)
            && slot.decode(&inner).is_ok()
        {
            decoded = Ok(());
            text = Cow::Owned(inner);
        }
    }
    let parameter = slot.parameter();
    errors.extend(
        parameter
            .validation()
            .errors(parameter.name, &text, decoded),
    );
}

/// What becomes of arguments that no parameter takes.
#[derive(Clone, Copy, Debug)]
pub(in crate::server) enum Unknown<'a> {
    Skipped,
    Refused,
    /// They are skipped as well.
    Logged(&'a SkippedArguments<'a>),
}

/// The arguments of one call, while they are decoded.
struct ArgumentsReader<'a, 's> {
    slots: &'a mut [&'s mut dyn Slot],
    unknown: Unknown<'a>,
    errors: &'a mut Vec<ArgumentError>,
}

/// The name of a member, borrowed where it has no escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Visitor<'de> for ArgumentsReader<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with one member per argument")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some((Name(name), json)) = members.next_entry::<_, RawJsonRef<'de>>()? {
            let mut slots = self.slots.iter_mut();
            match slots.find(|slot| slot.parameter().name == name) {
                _ if self.errors.len() >= MAX_FOUND_FAULTS => {}
                Some(slot) if slot.is_given() => {
                    self.errors.push(ArgumentError::new(name, "given twice"));
                }
                Some(slot) => read_value(&mut **slot, json.get(), self.errors),
                None => match self.unknown {
                    Unknown::Skipped => {}
                    Unknown::Refused => {
                        let error = ArgumentError::new(name, "unknown argument");
                        self.errors.push(error);
                    }
                    Unknown::Logged(skipped) => {
                        let known = self.slots.iter().map(|slot| slot.parameter().name);
                        skipped.add(&name, known);
                    }
                },
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
    let mut plain = String::new();
    let mut rest = text;
    let begins = |letter: char| letter == '"' || letter == '-' || letter.is_ascii_digit();
    while let Some(start) = rest.find(begins) {
        let (before, after) = rest.split_at(start);
        let mut tokens = Deserializer::from_str(after).into_iter::<IgnoredAny>();
        tokens.next()?.ok()?;
        let (token, after) = after.split_at(tokens.byte_offset());
        let digits = integer_digits(token)
            .filter(|digits| !token.starts_with('"') && digits.len() <= MAX_DIGITS);
        plain.extend([before, digits.as_deref().unwrap_or(token)]);
        rest = after;
    }
    plain.push_str(rest);
    (plain != text).then_some(plain)
}

/// The number, boolean, list or object whose JSON is the contents of the string `text`.
fn inside_of_string(text: &str) -> Option<String> {
    let contents: String = serde_json::from_str(text).ok()?;
    let json = RawJsonRef::from_text(&contents).ok()?.get();
    let is_converted = !json.starts_with(['"', 'n']);
    is_converted.then(|| with_plain_integers(json).unwrap_or_else(|| json.to_owned()))
}

/// A type whose values callers can send: anything with `Deserialize` and `JsonSchema`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument",
    label = "needs `Deserialize` and `JsonSchema`",
    note = "add `#[derive(Deserialize, JsonSchema)]` to it, or to your type inside it; if that is there, `cargo tree -d` shows another version of schemars",
    note = "a type of another crate needs a feature of schemars, such as `chrono04`, `uuid1` or `url2`, and one of its own for serde",
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
pub trait SchemaValue {
    /// The value as JSON.
    fn to_json(&self) -> Value;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize> SchemaValue for T {
    fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// An argument called `name`, of the type `T`.
#[must_use]
pub fn argument<T: ToolArgument>(name: &'static str) -> Argument<T> {
    let absent = || {
        let missing = serde_json::from_str::<Missing<T>>("{}");
        missing.ok().map(|missing| missing.value)
    };
    Argument {
        parameter: Parameter::new::<T>(name, absent().is_none()),
        decode: |json| serde_json::from_str(json),
        absent,
        default: None,
    }
}

/// The value that a type has for a member that is missing.
///
/// The type is decoded, not looked at, so that an alias of `Option` has one too.
#[derive(Deserialize)]
struct Missing<T> {
    value: T,
}

impl<T> Argument<T> {
    /// Says what the argument is for.
    #[must_use]
    pub fn description(self, text: impl Into<String>) -> Self {
        self.annotate("description", text.into().into())
    }

    /// The value of a call that leaves the argument out.
    #[must_use]
    pub fn default(mut self, make: fn() -> T) -> Self
    where
        T: SchemaValue,
    {
        self.default = Some(make);
        self.parameter.is_required = false;
        self.annotate("default", make().to_json())
    }

    /// Shows what a value may look like.
    #[must_use]
    pub fn example(self, make: fn() -> T) -> Self
    where
        T: SchemaValue,
    {
        self.annotate("examples", vec![make().to_json()].into())
    }

    /// Takes a string as well whose contents are the JSON of the value, as models send it by
    /// mistake: `"3"` for an integer, `"true"` for a boolean, `"[1, 2]"` for a list. The listed
    /// schema has the type alone.
    ///
    /// Only the whole argument is converted, and only if it can't be decoded as it is, so that
    /// text stays text. Ranges and other constraints hold for the converted value.
    ///
    /// ```
    /// use mcp_runtime::Server;
    /// use mcp_runtime::server::tools::{ToolBuilder, argument};
    ///
    /// let count = argument::<u32>("count").lenient();
    /// let mut server = Server::builder();
    /// server.tool(ToolBuilder::new("double").arguments((count,)).call(|(count,), _| 2 * count));
    /// # drop(server.build());
    /// ```
    #[must_use]
    pub fn lenient(mut self) -> Self {
        self.parameter.is_lenient = true;
        self
    }

    pub(super) fn annotate(mut self, keyword: &str, value: Value) -> Self {
        self.parameter.keywords.insert(keyword.to_owned(), value);
        self
    }

    /// An empty slot for one call's value.
    #[must_use]
    pub fn slot(&self) -> ArgumentSlot<'_, T> {
        ArgumentSlot {
            argument: self,
            value: None,
            is_given: false,
        }
    }
}

/// The value of one argument in one call.
pub struct ArgumentSlot<'a, T> {
    argument: &'a Argument<T>,
    value: Option<T>,
    is_given: bool,
}

impl<T> ArgumentSlot<'_, T> {
    /// The value.
    ///
    /// # Errors
    ///
    /// When the slot was never read.
    pub fn take(self) -> Result<T, CallRejection> {
        let name = self.argument.parameter.name;
        self.value.ok_or_else(|| CallRejection::unread(name))
    }
}

impl<T> Slot for ArgumentSlot<'_, T> {
    fn parameter(&self) -> &Parameter {
        &self.argument.parameter
    }

    fn is_given(&self) -> bool {
        self.is_given
    }

    fn decode(&mut self, json: &str) -> serde_json::Result<()> {
        self.is_given = true;
        self.value = Some((self.argument.decode)(json)?);
        Ok(())
    }

    fn fill_absent(&mut self) -> bool {
        let Argument {
            default, absent, ..
        } = self.argument;
        self.value = default.map_or_else(absent, |make| Some(make()));
        self.value.is_some()
    }
}

impl<T> fmt::Debug for Argument<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Argument")
            .field(&self.parameter.name)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Any JSON of a few values, and such JSON inside of strings.
    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i16>().prop_map(Value::from),
            any::<f32>().prop_map(Value::from),
            "[ a\"0-9.]{0,4}".prop_map(Value::from),
        ];
        let value = leaf.prop_recursive(2, 8, 4, |inner| {
            let list = prop::collection::vec(inner.clone(), 0..4);
            let object = prop::collection::hash_map("[ab]", inner, 0..3);
            prop_oneof![
                list.prop_map(Value::from),
                object.prop_map(|members| members.into_iter().collect::<Value>()),
            ]
        });
        (value, any::<bool>()).prop_map(|(value, is_string)| {
            if is_string {
                value.to_string().into()
            } else {
                value
            }
        })
    }

    /// The argument that `text` is read as, by its `Debug`.
    fn read_as<T: ToolArgument + fmt::Debug>(argument: &Argument<T>, text: &str) -> Option<String> {
        let mut slot = argument.slot();
        let mut errors = Vec::new();
        read_value(&mut slot, text, &mut errors);
        let value = errors.is_empty().then(|| slot.take().ok())?;
        value.map(|value| format!("{value:?}"))
    }

    fn lenience_changes_no_value<T: ToolArgument + fmt::Debug>(text: &str) {
        let strict = read_as(&argument::<T>("value"), text);
        let lenient = read_as(&argument::<T>("value").lenient(), text);
        assert!(
            strict.is_none() || strict == lenient,
            "{text}: {strict:?} {lenient:?}"
        );
    }

    proptest! {
        #[test]
        fn what_is_decoded_as_it_is_stays_as_it_is(value in json()) {
            let text = value.to_string();
            lenience_changes_no_value::<i64>(&text);
            lenience_changes_no_value::<f64>(&text);
            lenience_changes_no_value::<Option<bool>>(&text);
            lenience_changes_no_value::<String>(&text);
            lenience_changes_no_value::<Vec<Value>>(&text);
            lenience_changes_no_value::<Value>(&text);
            let read = read_as(&argument::<String>("value").lenient(), &text);
            let contents = value.as_str().map(|text| format!("{text:?}"));
            prop_assert!(contents.is_none() || read == contents);
        }
    }

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
