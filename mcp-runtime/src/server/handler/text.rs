//! Arguments of prompts and variables of resources: texts, read by `FromStr`.

use std::borrow::Cow;
use std::fmt::Display;
use std::marker::PhantomData;
use std::str::FromStr;

use mcp_types::OrderedMap;

use super::{ArgumentError, CallRejection, InvalidArguments, for_tuples};
use crate::server::completions::{Completer, CompletionRequest, IntoCompletion, completer};
use crate::server::{Context, ContextValue, FromContext, OptionalFromContext};

/// The texts of one call, by name.
pub(crate) type Texts = OrderedMap<String>;

/// A type whose values can be read from a text: anything with `FromStr`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from a text",
    label = "needs `FromStr`",
    note = "the arguments of prompts and the variables of resources are texts: take a `String` and split it in the function, or implement `std::str::FromStr` for a type of your own",
    note = "what comes from the call's context instead is taken by reference: `&{Self}`"
)]
pub trait FromText: Sized + Send + 'static {
    /// Reads the value.
    ///
    /// # Errors
    ///
    /// With the reason why the text is no value.
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

/// Declares an argument by its type: an `Option` may be left out.
///
/// Method lookup prefers an inherent method to one of a trait, which distinguishes the two cases.
pub struct Text<T>(PhantomData<fn() -> T>);

impl<T> Text<T> {
    /// Stands for `T`.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "only macro output makes one")]
    pub const fn new() -> Self {
        Self(PhantomData)
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

/// Declares arguments whose type is no `Option`.
pub trait RequiredText<T> {
    /// An argument that has to be there.
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

/// An argument called `name` that has to be there, read by `FromStr`.
#[must_use]
pub fn argument<T: FromText>(name: &'static str) -> TextArgument<T> {
    TextArgument::new(name, |text| match text {
        Some(text) => T::from_text(text),
        None => Err("missing".to_owned()),
    })
}

/// An argument called `name` that may be left out, read by `FromStr`.
#[must_use]
pub fn optional<T: FromText>(name: &'static str) -> TextArgument<Option<T>> {
    TextArgument::new(name, |text| text.map(T::from_text).transpose())
}

/// The description of one argument of a prompt, or variable of a resource.
pub struct TextArgument<T> {
    pub(crate) name: &'static str,
    pub(crate) description: Option<Cow<'static, str>>,
    pub(crate) completer: Option<Completer>,
    /// Reads the value; `None` is read for an argument that is left out.
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

    /// Says what the argument is for.
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

    /// Returns true if a call without the argument is refused.
    pub(crate) fn is_required(&self) -> bool {
        (self.read)(None).is_err()
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
    pub fn take(self) -> Result<T, CallRejection> {
        let name = self.argument.name;
        self.value.ok_or_else(|| CallRejection::unread(name))
    }
}

/// A slot for the value of one argument.
pub trait ReadText {
    /// Reads the value from among `texts`.
    ///
    /// # Errors
    ///
    /// When it is missing, or not valid.
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

/// A call whose arguments are texts.
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
    /// With every argument that is not valid.
    pub fn read(&self, slots: &mut [&mut dyn ReadText]) -> Result<(), CallRejection> {
        let read = slots.iter_mut().map(|slot| slot.read(self.texts));
        let errors = read.filter_map(Result::err).collect();
        Ok(InvalidArguments(errors).into_result()?)
    }

    /// A value that the call's context has to offer.
    ///
    /// # Errors
    ///
    /// When this call has none.
    pub fn context<T: FromContext>(&self) -> Result<ContextValue<T>, CallRejection> {
        T::lend(self.context).map_err(CallRejection::Protocol)
    }

    /// A value that a handler takes from the context if this call has it.
    ///
    /// # Errors
    ///
    /// When the value can't be used.
    pub fn optional<T: OptionalFromContext>(
        &self,
    ) -> Result<Option<ContextValue<T>>, CallRejection> {
        T::optional(self.context).map_err(CallRejection::Protocol)
    }
}

/// A prompt or resource that is being described, which arguments are declared to.
#[doc(hidden)]
pub trait Declares {
    fn argument<T>(&mut self, argument: TextArgument<T>) -> TextArgument<T>;
}

/// The arguments of a prompt, or the variables of a resource: a tuple of up to eight
/// [`TextArgument`]s.
pub trait TextArguments: Send + Sync + 'static {
    /// The values that a request has for them, as a tuple.
    type Values: Send + 'static;

    #[doc(hidden)]
    fn declare(self, builder: &mut impl Declares) -> Self;

    #[doc(hidden)]
    fn read(&self, call: &TextCall<'_>) -> Result<Self::Values, CallRejection>;
}

for_tuples!(TextArguments, TextArgument, impl Declares, TextCall);
