//! Arguments of a tool, with the Rust types that take them.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::value::Error;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Value;

use super::arguments::Slot;
use super::parameter::Parameter;
use crate::server::handler::run::Rejection;

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

impl<'de> Deserializer<'de> for Absent {
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
