//! Runs the user's function, and makes a reply of the value that it returns.

use std::future::{Future, Ready};
use std::sync::Arc;

use super::InvalidArguments;
use super::error;
use crate::ProtocolError;
use crate::advice::HeldThread;
use crate::error::RequestError;
use crate::server::Reply;
use crate::server::input::AskError;

/// The conversion of a returned value into a result.
pub(crate) type Convert<T, R> = fn(T) -> Result<R, ProtocolError>;

/// The end of a call before the function ran.
#[derive(Debug)]
pub enum CallRejection {
    /// The caller can mend it.
    Arguments(String),
    /// A question that is a parameter has no answer.
    Unanswered(AskError),
    /// Answered as it is.
    Protocol(ProtocolError),
}

/// The result of a call, also of one that ended before the function ran.
pub trait CallResult: Sized + Send + 'static {
    /// The answer to a call that ended before the function ran.
    ///
    /// # Errors
    ///
    /// With what is answered instead of a result.
    fn rejected(rejection: CallRejection) -> Result<Self, ProtocolError> {
        Err(match rejection {
            CallRejection::Arguments(text) => RequestError::InvalidArguments(text).to_error(),
            CallRejection::Unanswered(error) => error::to_protocol(error),
            CallRejection::Protocol(error) => error,
        })
    }
}

impl CallRejection {
    /// The slot of the argument `name`, which the call did not read.
    pub(crate) fn unread(name: &'static str) -> Self {
        Self::Protocol(RequestError::UnreadArgument(name).to_error())
    }
}

impl From<InvalidArguments> for CallRejection {
    fn from(errors: InvalidArguments) -> Self {
        Self::Arguments(errors.to_string())
    }
}

/// Runs the function called `name`.
pub(in crate::server) fn run<T: 'static>(
    name: &str,
    held_thread: &Arc<HeldThread>,
    function: impl FnOnce() -> Result<Reply<T>, CallRejection>,
) -> Result<Reply<T>, CallRejection> {
    Ok(match held_thread.step(name, function)? {
        Reply::Pending(future) => Reply::Pending(held_thread.future(name, future)),
        reply => reply,
    })
}

/// The reply of a function that has returned.
///
/// # Errors
///
/// Never: the type is that of a call, in which reading the arguments may fail.
pub fn ready<T, R, O: From<R>>(
    convert: Convert<T, R>,
    value: T,
) -> Result<Reply<O>, CallRejection> {
    Ok(Reply::Ready(convert(value).map(O::from)))
}

/// The reply of a function that has yet to run.
///
/// # Errors
///
/// Never: the type is that of a call, in which reading the arguments may fail.
pub fn pending<T: 'static, R: 'static, O: From<R>>(
    convert: Convert<T, R>,
    future: impl Future<Output = T> + Send + 'static,
) -> Result<Reply<O>, CallRejection> {
    Ok(Reply::Pending(Box::pin(async move {
        convert(future.await).map(O::from)
    })))
}

/// Runs `function` on a thread for blocking work.
///
/// A panic continues in the task that awaits the future.
pub async fn blocking<T: Send + 'static>(function: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(function).await {
        Ok(value) => value,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime is shutting down, so no answer is needed.
            Err(_) => std::future::pending().await,
        },
    }
}

/// A value that is returned as JSON: structured content, and a copy of it as text.
///
/// Functions under `#[tool]` need no wrapper; closures do, except for numbers and `bool`, and text
/// that is meant as JSON. In a resource it is the contents, of the media type `application/json`.
/// [`Structured`](crate::Structured) adds text or content of its own.
///
/// ```
/// use mcp_runtime::prelude::*;
///
/// /// The names as one JSON value.
/// fn names() -> Json<Vec<&'static str>> {
///     Json(vec!["Emma", "Persuasion"])
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Json<T>(pub T);

/// The value returned by a function that may be async or not.
pub struct MaybeAsync<T>(pub T);

impl<F: Future> MaybeAsync<F> {
    /// The future itself.
    pub fn future(self) -> F {
        self.0
    }
}

/// Gives every value that is no future the method of those that are.
pub trait NotAsync<T> {
    /// The value, as a future that is ready.
    fn future(self) -> Ready<T>;
}

impl<T> NotAsync<T> for MaybeAsync<T> {
    fn future(self) -> Ready<T> {
        std::future::ready(self.0)
    }
}

/// Implements `$trait` for types whose values become a `$result` without fail.
macro_rules! conversions {
    ($trait:ident::$method:ident -> $result:ty; $($value:ident: $($kind:ty),* => $into:expr;)*) => {
        $($(
            impl $trait for $kind {
                fn $method(self) -> Result<$result, ProtocolError> {
                    let $value = self;
                    Ok($into)
                }
            }
        )*)*
    };
}

pub(crate) use conversions;

/// Implements `$arguments` for tuples of up to eight `$argument`s, which are declared to a `$builder`
/// and read from a `$call`.
macro_rules! for_tuples {
    ($arguments:ident, $argument:ident, $builder:ty, $call:ident) => {
        for_tuples! { $arguments, $argument, $builder, $call:
            ()
            (A a)
            (A a, B b)
            (A a, B b, C c)
            (A a, B b, C c, D d)
            (A a, B b, C c, D d, E e)
            (A a, B b, C c, D d, E e, F f)
            (A a, B b, C c, D d, E e, F f, G g)
            (A a, B b, C c, D d, E e, F f, G g, H h)
        }
    };
    ($arguments:ident, $argument:ident, $builder:ty, $call:ident:
        $(($($kind:ident $name:ident),*))*) => {$(
        impl<$($kind: Send + 'static),*> $arguments for ($($argument<$kind>,)*) {
            type Values = ($($kind,)*);

            #[allow(unused_variables, clippy::unused_unit)]
            fn declare(self, builder: &mut $builder) -> Self {
                let ($($name,)*) = self;
                ($(builder.argument($name),)*)
            }

            fn read(&self, call: &$call<'_>) -> Result<Self::Values, CallRejection> {
                let ($($name,)*) = self;
                $(let mut $name = $name.slot();)*
                call.read(&mut [$(&mut $name),*])?;
                Ok(($($name.take()?,)*))
            }
        }
    )*};
}

pub(crate) use for_tuples;
