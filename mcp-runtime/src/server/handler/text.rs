//! Arguments of prompts and variables of resources, which are strings that `FromStr` parses.

use std::borrow::Cow;
use std::fmt::Display;
use std::marker::PhantomData;
use std::str::FromStr;

use mcp_types::OrderedMap;

use super::{ArgumentError, CallRejection, InvalidArguments, for_tuples};
use crate::server::completions::{Completer, CompletionRequest, IntoCompletion, completer};
use crate::server::{Context, ContextValue, FromContext, OptionalFromContext};

pub(crate) type Texts = OrderedMap<String>;

/// A type that can be parsed from a string. Implemented for every type that implements `FromStr`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be parsed from a string",
    label = "needs `FromStr`",
    note = "the arguments of prompts and the variables of resources are strings: take a `String` and split it in the function, or implement `std::str::FromStr` for a type of your own",
    note = "if the value comes from the context of the call, take it by reference: `&{Self}`"
)]
pub trait FromText: Sized + Send + 'static {
    /// Parses the value.
    ///
    /// # Errors
    ///
    /// Returns the reason why `text` is not valid.
    fn from_text(text: &str) -> Result<Self, String>;
}

#[diagnostic::do_not_recommend]
impl<T: FromStr<Err: Display> + Send + 'static> FromText for T {
    fn from_text(text: &str) -> Result<Self, String> {
        text.parse().map_err(|error: T::Err| {
            let reason = error.to_string();
            if reason.contains(text) {
                reason
            } else {
                format!("{text:?}: {reason}")
            }
        })
    }
}

/// Declares an argument by its type: optional if the type is an `Option`, required otherwise.
///
/// The trick is method lookup: it prefers the inherent method of `Text<Option<T>>` to the method of
/// [`RequiredText`].
pub struct Text<T>(PhantomData<fn() -> T>);

impl<T> Text<T> {
    /// Creates a marker for `T`.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "only macro output makes one")]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T> Text<Option<T>> {
    /// Declares an optional argument.
    #[must_use]
    pub fn argument(self, name: &'static str) -> TextArgument<Option<T>>
    where
        T: FromText,
    {
        optional(name)
    }
}

/// Declares arguments whose type is not an `Option`.
pub trait RequiredText<T> {
    /// Declares a required argument.
    #[must_use]
    fn argument(self, name: &'static str) -> TextArgument<T>
    where
        T: FromText;
}

impl<T> RequiredText<T> for Text<T> {
    fn argument(self, name: &'static str) -> TextArgument<T>
    where
        T: FromText,
    {
        argument(name)
    }
}

/// Declares the required argument `name`, which is parsed with `FromStr`.
#[must_use]
pub fn argument<T: FromText>(name: &'static str) -> TextArgument<T> {
    TextArgument::new(name, |text| match text {
        Some(text) => T::from_text(text),
        None => Err("missing".to_owned()),
    })
}

/// Declares the optional argument `name`, which is parsed with `FromStr`.
#[must_use]
pub fn optional<T: FromText>(name: &'static str) -> TextArgument<Option<T>> {
    TextArgument::new(name, |text| text.map(T::from_text).transpose())
}

/// The declaration of an argument of a prompt or a variable of a resource.
pub struct TextArgument<T> {
    pub(crate) name: &'static str,
    pub(crate) description: Option<Cow<'static, str>>,
    pub(crate) completer: Option<Completer>,
    /// Parses the value. The parameter is `None` if the argument is missing.
    read: fn(Option<&str>) -> Result<T, String>,
}

impl<T> TextArgument<T> {
    fn new(name: &'static str, read: fn(Option<&str>) -> Result<T, String>) -> Self {
        Self {
            name,
            description: None,
            completer: None,
            read,
        }
    }

    /// Describes the argument for people and models.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = Some(text.into().into());
        self
    }

    /// Suggests values while the user types.
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

    pub(crate) fn is_required(&self) -> bool {
        (self.read)(None).is_err()
    }

    /// Creates an empty slot for the value in one call.
    #[must_use]
    pub fn slot(&self) -> TextSlot<'_, T> {
        TextSlot {
            argument: self,
            value: None,
        }
    }
}

/// A slot for the value of an argument in one call.
pub struct TextSlot<'a, T> {
    argument: &'a TextArgument<T>,
    value: Option<T>,
}

impl<T> TextSlot<'_, T> {
    /// Takes the value out of the slot.
    ///
    /// # Errors
    ///
    /// Fails if the value was never read.
    pub fn take(self) -> Result<T, CallRejection> {
        let name = self.argument.name;
        self.value.ok_or_else(|| CallRejection::unread(name))
    }
}

/// A [`TextSlot`] of any type.
pub trait ReadText {
    /// Reads the value from the arguments of a call.
    ///
    /// # Errors
    ///
    /// Fails if the value is missing or invalid.
    fn read(&mut self, texts: &Texts) -> Result<(), ArgumentError>;
}

impl<T> ReadText for TextSlot<'_, T> {
    fn read(&mut self, texts: &Texts) -> Result<(), ArgumentError> {
        let name = self.argument.name;
        let value = (self.argument.read)(texts.get(name).map(String::as_str));
        self.value = Some(value.map_err(|message| ArgumentError::new(name, message))?);
        Ok(())
    }
}

/// A call whose arguments are strings.
#[derive(Clone, Copy, Debug)]
pub struct TextCall<'a> {
    pub(crate) texts: &'a Texts,
    /// The context of the call.
    pub context: &'a Context,
}

impl TextCall<'_> {
    /// Reads the arguments into `slots`.
    ///
    /// # Errors
    ///
    /// Fails with a list of all invalid arguments.
    pub fn read(&self, slots: &mut [&mut dyn ReadText]) -> Result<(), CallRejection> {
        let read = slots.iter_mut().map(|slot| slot.read(self.texts));
        let errors = read.filter_map(Result::err).collect();
        Ok(InvalidArguments(errors).into_result()?)
    }

    /// Gets a value from the context of the call.
    ///
    /// # Errors
    ///
    /// Fails if the context has no such value.
    pub fn context<T: FromContext>(&self) -> Result<ContextValue<T>, CallRejection> {
        T::lend(self.context).map_err(CallRejection::Protocol)
    }

    /// Gets a value from the context of the call, if there is one.
    ///
    /// # Errors
    ///
    /// Fails if the value can't be used.
    pub fn optional<T: OptionalFromContext>(
        &self,
    ) -> Result<Option<ContextValue<T>>, CallRejection> {
        T::optional(self.context).map_err(CallRejection::Protocol)
    }
}

/// The builder of a prompt or resource, to which arguments are declared.
#[doc(hidden)]
pub trait Declares {
    fn argument<T>(&mut self, argument: TextArgument<T>) -> TextArgument<T>;
}

/// The arguments of a prompt or the variables of a resource: a tuple of up to eight
/// [`TextArgument`]s.
pub trait TextArguments: Send + Sync + 'static {
    /// The tuple of the arguments' values.
    type Values: Send + 'static;

    #[doc(hidden)]
    fn declare(self, builder: &mut impl Declares) -> Self;

    #[doc(hidden)]
    fn read(&self, call: &TextCall<'_>) -> Result<Self::Values, CallRejection>;
}

for_tuples!(TextArguments, TextArgument, impl Declares, TextCall);
