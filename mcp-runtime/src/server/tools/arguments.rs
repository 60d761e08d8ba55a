//! Reads the arguments of a call from raw JSON into typed slots.
//!
//! Each value stays raw until its slot decodes it. If a value is not valid, the others are still
//! decoded, so the caller learns all errors in one round.

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
    /// Returns the description of the argument.
    fn parameter(&self) -> &Parameter;

    /// Returns true if the call has a value for the argument, valid or not.
    fn is_given(&self) -> bool;

    /// Decodes `json` and keeps the value.
    ///
    /// # Errors
    ///
    /// When `json` can't be decoded as the type of the argument.
    fn decode(&mut self, json: &str) -> serde_json::Result<()>;

    /// Uses the default value because the argument is absent. Returns false if there is no default.
    fn fill_absent(&mut self) -> bool;
}

/// Fills `slots` from the JSON object `text`. `unknown` decides what happens to members without a
/// slot.
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

/// Decodes `text` into `slot`, and checks the value against the schema of the argument.
///
/// `2.0` and `1e2` are accepted as integers, as in JSON Schema, although serde rejects them. `null`
/// is accepted for an argument that may be left out, and JSON inside a string for a lenient
/// argument.
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

/// How to treat arguments that no parameter takes.
#[derive(Clone, Copy, Debug)]
pub(in crate::server) enum Unknown<'a> {
    Skipped,
    Refused,
    /// Skipped and logged.
    Logged(&'a SkippedArguments<'a>),
}

/// A visitor that decodes the arguments of one call.
struct ArgumentsReader<'a, 's> {
    slots: &'a mut [&'s mut dyn Slot],
    unknown: Unknown<'a>,
    errors: &'a mut Vec<ArgumentError>,
}

/// The name of a member, borrowed unless it has escapes.
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

/// The longest integer that is rewritten. No integer type has more digits.
const MAX_DIGITS: usize = 40;

/// Rewrites integers such as `2.0` and `1e2` in the JSON value `text` to plain digits. Returns
/// `None` if there are no such integers.
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

/// Returns the JSON of the number, boolean, list or object that the JSON string `text` contains.
fn inside_of_string(text: &str) -> Option<String> {
    let contents: String = serde_json::from_str(text).ok()?;
    let json = RawJsonRef::from_text(&contents).ok()?.get();
    let is_converted = !json.starts_with(['"', 'n']);
    is_converted.then(|| with_plain_integers(json).unwrap_or_else(|| json.to_owned()))
}

/// A type whose values callers can send: any type that implements `Deserialize` and `JsonSchema`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument",
    label = "needs `Deserialize` and `JsonSchema`",
    note = "add `#[derive(Deserialize, JsonSchema)]` to it, or to your type inside it; if that is there, `cargo tree -d` shows another version of schemars",
    note = "a type of another crate needs a feature of schemars, such as `chrono04`, `uuid1` or `url2`, and usually the `serde` feature of its crate",
    note = "if the value comes from the context of the call, take it by reference: `&{Self}`"
)]
pub trait ToolArgument: DeserializeOwned + JsonSchema + Send + 'static {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + Send + 'static> ToolArgument for T {}

/// The description of one argument of a tool, made by [`argument`].
pub struct Argument<T> {
    pub(super) parameter: Parameter,
    decode: fn(&str) -> serde_json::Result<T>,
    /// Makes the value of an absent argument, if the type has one, like `Option`.
    absent: fn() -> Option<T>,
    default: Option<fn() -> T>,
}

/// A type whose values can be shown in a schema, as defaults and examples.
#[diagnostic::on_unimplemented(
    message = "a value of `{Self}` cannot be shown in the schema",
    label = "needs `Serialize`",
    note = "defaults and examples are part of the schema: add `#[derive(Serialize)]` to `{Self}`"
)]
pub trait SchemaValue {
    /// Returns the value as JSON.
    fn to_json(&self) -> Value;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize> SchemaValue for T {
    fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// Describes an argument called `name` of the type `T`.
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

/// Finds the value that a type has for a missing member.
///
/// Decoding an object without the member also works for aliases of `Option`, which a macro can't
/// recognize.
#[derive(Deserialize)]
struct Missing<T> {
    value: T,
}

impl<T> Argument<T> {
    /// Describes the purpose of the argument.
    #[must_use]
    pub fn description(self, text: impl Into<String>) -> Self {
        self.annotate("description", text.into().into())
    }

    /// Sets the value for calls that leave the argument out.
    #[must_use]
    pub fn default(mut self, make: fn() -> T) -> Self
    where
        T: SchemaValue,
    {
        self.default = Some(make);
        self.parameter.is_required = false;
        self.annotate("default", make().to_json())
    }

    /// Sets an example of a value.
    #[must_use]
    pub fn example(self, make: fn() -> T) -> Self
    where
        T: SchemaValue,
    {
        self.annotate("examples", vec![make().to_json()].into())
    }

    /// Also accepts the JSON of the value inside a string, which models sometimes send by mistake:
    /// `"3"` for an integer, `"true"` for a boolean, `"[1, 2]"` for a list.
    ///
    /// Only the whole argument is converted, and only if it can't be decoded as it is; a string
    /// argument therefore stays the same. Ranges and other constraints apply to the converted
    /// value. The listed schema does not mention the strings.
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

    /// Returns an empty slot for the value of one call.
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
    /// Returns the value.
    ///
    /// # Errors
    ///
    /// When the slot was never filled.
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

    /// Generates small JSON values, and strings that contain such JSON.
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

    /// Reads `text` as the argument, and returns the `Debug` form of the value.
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
