//! Arguments that are texts, several at once.

use super::arity::for_each_arity;
use super::run::Rejection;
use super::text::{TextArgument, TextCall};

/// What arguments are declared to: a prompt or resource that is being described.
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
    fn declare(self, spec: &mut impl Declares) -> Self;

    #[doc(hidden)]
    fn read(&self, call: &TextCall<'_>) -> Result<Self::Values, Rejection>;
}

macro_rules! tuples {
    ($(($($kind:ident $name:ident),*);)*) => {$(
        impl<$($kind: Send + 'static),*> TextArguments for ($(TextArgument<$kind>,)*) {
            type Values = ($($kind,)*);

            #[allow(unused_variables, clippy::unused_unit)]
            fn declare(self, spec: &mut impl Declares) -> Self {
                let ($($name,)*) = self;
                ($(spec.argument($name),)*)
            }

            fn read(&self, call: &TextCall<'_>) -> Result<Self::Values, Rejection> {
                let ($($name,)*) = self;
                $(let mut $name = $name.slot();)*
                call.read(&mut [$(&mut $name),*])?;
                Ok(($($name.take()?,)*))
            }
        }
    )*};
}

for_each_arity!(tuples);
