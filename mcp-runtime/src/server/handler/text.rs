//! Arguments that are texts, read by `FromStr`.

use std::borrow::Cow;
use std::fmt::Display;
use std::marker::PhantomData;
use std::str::FromStr;

use mcp_types::OrderedMap;
use mcp_types::jsonrpc::code;

use super::fault::{Fault, Faults};
use super::run::Rejection;
use crate::ProtocolError;
use crate::server::completions::{Completer, CompletionRequest, IntoCompletion, completer};
use crate::server::{Borrowed, Context, FromContext};

/// The texts of one call, by name.
pub(crate) type Texts = OrderedMap<String>;

/// A type whose values can be read from a text: anything with `FromStr`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from a text",
    label = "needs `FromStr`",
    note = "the arguments of prompts and the variables of resources are texts: implement `std::str::FromStr` for `{Self}`, or take a `String`"
)]
pub trait FromText: Sized + Send + 'static {
    /// Reads the value.
    ///
    /// # Errors
    ///
    /// With what is wrong with the text.
    fn from_text(text: &str) -> Result<Self, String>;
}

#[diagnostic::do_not_recommend]
impl<T: FromStr<Err: Display> + Send + 'static> FromText for T {
    fn from_text(text: &str) -> Result<Self, String> {
        text.parse().map_err(|error: T::Err| error.to_string())
    }
}

/// The type of an argument, to find out whether it is an `Option`.
pub struct Text<T>(PhantomData<fn() -> T>);

impl<T> Text<T> {
    /// Stands for `T`.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T> Default for Text<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Text<Option<T>> {
    /// An argument that may be left out.
    #[must_use]
    pub fn argument(self, name: &'static str) -> TextArgument<Option<T>>
    where
        T: FromText,
    {
        optional(name)
    }
}

/// What every type has that is no `Option`.
pub trait PlainText<T> {
    /// An argument that has to be there.
    #[must_use]
    fn argument(self, name: &'static str) -> TextArgument<T>
    where
        T: FromText;
}

impl<T> PlainText<T> for Text<T> {
    fn argument(self, name: &'static str) -> TextArgument<T>
    where
        T: FromText,
    {
        argument(name)
    }
}

/// An argument called `name` that has to be there, read by `FromStr`.
#[must_use]
pub fn argument<T: FromText>(name: &'static str) -> TextArgument<T> {
    TextArgument {
        name,
        description: None,
        completer: None,
        read: T::from_text,
        absent: || None,
    }
}

/// An argument called `name` that may be left out, read by `FromStr`.
#[must_use]
pub fn optional<T: FromText>(name: &'static str) -> TextArgument<Option<T>> {
    TextArgument {
        name,
        description: None,
        completer: None,
        read: |text| T::from_text(text).map(Some),
        absent: || Some(None),
    }
}

/// The description of one argument of a prompt, or variable of a resource.
pub struct TextArgument<T> {
    pub(crate) name: &'static str,
    pub(crate) description: Option<Cow<'static, str>>,
    pub(crate) completer: Option<Completer>,
    read: fn(&str) -> Result<T, String>,
    absent: fn() -> Option<T>,
}

impl<T> TextArgument<T> {
    /// Says what the argument is for.
    #[must_use]
    pub fn description(mut self, text: impl Into<Cow<'static, str>>) -> Self {
        self.description = Some(text.into());
        self
    }

    /// Suggests values while somebody types one.
    #[must_use]
    pub fn complete<F>(
        mut self,
        function: impl Fn(CompletionRequest) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output: IntoCompletion> + Send + 'static,
    {
        self.completer = Some(completer(function));
        self
    }

    /// Whether a call without the argument is refused.
    pub(crate) fn is_required(&self) -> bool {
        (self.absent)().is_none()
    }

    /// An empty place for one call's value.
    #[must_use]
    pub fn slot(&self) -> TextSlot<'_, T> {
        TextSlot {
            argument: self,
            value: None,
        }
    }
}

/// The value of one argument in one call.
pub struct TextSlot<'a, T> {
    argument: &'a TextArgument<T>,
    value: Option<T>,
}

impl<T> TextSlot<'_, T> {
    /// The value.
    ///
    /// # Errors
    ///
    /// When the slot was never read.
    pub fn take(self) -> Result<T, Rejection> {
        let Self { argument, value } = self;
        value.ok_or_else(|| {
            let message = format!("argument `{}` was not read", argument.name);
            Rejection::Protocol(ProtocolError::new(code::INTERNAL_ERROR, message))
        })
    }
}

/// A place for the value of one argument.
pub trait Place {
    /// Reads the value from among `texts`.
    ///
    /// # Errors
    ///
    /// When it is missing, or does not fit.
    fn read(&mut self, texts: &Texts) -> Result<(), Fault>;
}

impl<T> Place for TextSlot<'_, T> {
    fn read(&mut self, texts: &Texts) -> Result<(), Fault> {
        let name = self.argument.name;
        let value = match texts.get(name) {
            Some(text) => (self.argument.read)(text).map(Some),
            None => Ok((self.argument.absent)()),
        };
        self.value = value.map_err(|message| Fault::new(name, message))?;
        match &self.value {
            Some(_) => Ok(()),
            None => Err(Fault::new(name, "missing")),
        }
    }
}

/// A call whose arguments are texts.
#[derive(Clone, Copy, Debug)]
pub struct TextCall<'a> {
    /// The arguments by name.
    pub(crate) texts: &'a Texts,
    /// What the call was made under.
    pub(crate) context: &'a Context,
}

impl TextCall<'_> {
    /// Reads the arguments into `slots`.
    ///
    /// # Errors
    ///
    /// With every argument that does not fit.
    pub fn read(&self, slots: &mut [&mut dyn Place]) -> Result<(), Rejection> {
        let mut faults = Faults::default();
        for slot in slots {
            if let Err(fault) = slot.read(self.texts) {
                faults.push(fault);
            }
        }
        faults.into_result().map_err(Rejection::from)
    }

    /// A value that the call's context has to offer.
    ///
    /// # Errors
    ///
    /// When this call has none.
    pub fn context<T: FromContext>(&self) -> Result<Borrowed<T>, Rejection> {
        T::lend(self.context).map_err(Rejection::Protocol)
    }
}

impl Rejection {
    /// The error to answer with, where faults have no result to be told in.
    pub(crate) fn into_error(self) -> ProtocolError {
        match self {
            Self::Arguments(text) => ProtocolError::new(code::INVALID_PARAMS, text),
            Self::Protocol(error) => error,
        }
    }
}
