//! One argument of a tool: what it is called, what it accepts, how it is read.

use std::borrow::Cow;

use mcp_types::{ErrorObject, jsonrpc::code};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::header::Header;
use super::missing;
use super::parameters::Kind;
use crate::server::handler::decode::{self, Slot};
use crate::server::handler::fault::{Fault, Faults};
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

/// A rule that a value must keep; the error says which.
type Check<T> = Box<dyn Fn(&T) -> Result<(), String> + Send + Sync>;

/// The description of one argument.
pub struct Argument<T> {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// Keywords that are added to the schema of the type.
    pub(super) keywords: Map<String, Value>,
    /// Whether the value is sent in a header, too.
    pub(super) header: Option<Header>,
    decode: fn(&str) -> serde_json::Result<T>,
    absent: Absent<T>,
    checks: Vec<Check<T>>,
}

/// What the value is when the caller leaves the argument out.
enum Absent<T> {
    /// What the type itself says; most have nothing to say.
    Own(fn() -> Option<T>),
    /// The declared default.
    Default(fn() -> T),
}

impl<T> Absent<T> {
    fn value(&self) -> Option<T> {
        match self {
            Self::Own(ask) => ask(),
            Self::Default(make) => Some(make()),
        }
    }
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
    Argument {
        name,
        kind: Kind::of::<T>(),
        keywords: Map::new(),
        header: None,
        decode: |json| serde_json::from_str(json),
        absent: Absent::Own(missing::value),
        checks: Vec::new(),
    }
}

impl<T> Argument<T> {
    /// Says what the argument is for.
    #[must_use]
    pub fn description(self, text: impl Into<Cow<'static, str>>) -> Self {
        self.keyword("description", text.into().into_owned())
    }

    /// The value of a call that leaves the argument out.
    #[must_use]
    pub fn default(mut self, make: fn() -> T) -> Self
    where
        T: Shown,
    {
        self.absent = Absent::Default(make);
        self.keyword("default", make().shown())
    }

    /// Shows what a value may look like.
    #[must_use]
    pub fn example(self, make: fn() -> T) -> Self
    where
        T: Shown,
    {
        self.keyword("examples", vec![make().shown()])
    }

    /// Adds a rule that values must keep.
    pub(super) fn check(
        mut self,
        check: impl Fn(&T) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.checks.push(Box::new(check));
        self
    }

    pub(super) fn keyword(mut self, keyword: &str, value: impl Into<Value>) -> Self {
        self.keywords.insert(keyword.to_owned(), value.into());
        self
    }

    /// Whether a call without the argument is refused.
    pub(super) fn is_required(&self) -> bool {
        self.absent.value().is_none()
    }

    /// An empty place for one call's value.
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
        let Self { argument, value } = self;
        value.ok_or_else(|| {
            let message = format!("argument `{}` was not read", argument.name);
            Rejection::Protocol(ErrorObject::new(code::INTERNAL_ERROR, message))
        })
    }
}

impl<T> ArgumentSlot<'_, T> {
    /// Reads what the schema allows, or callers mean, although the type does not decode it but has
    /// this `error`.
    fn tolerate(&self, json: &str, error: &serde_json::Error) -> Result<Option<T>, Fault> {
        if json == "null" && !self.argument.is_required() {
            return Ok(None);
        }
        let name = self.argument.name;
        let Some(plain) = decode::with_plain_integers(json) else {
            return Err(Fault::in_value(name, json, error));
        };
        let decoded = (self.argument.decode)(&plain);
        let fault = |error| Fault::in_value(name, &plain, &error);
        decoded.map(Some).map_err(fault)
    }
}

impl<T> Slot for ArgumentSlot<'_, T> {
    fn name(&self) -> &'static str {
        self.argument.name
    }

    fn is_filled(&self) -> bool {
        self.value.is_some()
    }

    fn read(&mut self, json: &str, faults: &mut Faults) -> bool {
        let argument = self.argument;
        let decoded = (argument.decode)(json).map(Some);
        match decoded.or_else(|error| self.tolerate(json, &error)) {
            Ok(value) => self.value = value,
            Err(told) => {
                let found = argument.kind.explain(argument.name, json);
                faults.push_explained(found, told);
                return false;
            }
        }
        argument.kind.check(argument.name, json, faults);
        true
    }

    fn finish(&mut self) -> Result<(), String> {
        if self.value.is_none() {
            self.value = self.argument.absent.value();
        }
        let Some(value) = &self.value else {
            return Err(format!(
                "missing, expected {}",
                self.argument.kind.expected()
            ));
        };
        self.argument
            .checks
            .iter()
            .try_for_each(|check| check(value))
    }
}

impl<T> std::fmt::Debug for Argument<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Argument").field(&self.name).finish()
    }
}
