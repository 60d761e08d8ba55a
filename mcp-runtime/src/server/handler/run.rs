//! Runs the user's function and converts the returned value into a reply.

use std::future::{Future, Ready};
use std::sync::Arc;

use super::InvalidArguments;
use super::error;
use crate::ProtocolError;
use crate::advice::HeldThread;
use crate::error::RequestError;
use crate::server::Reply;
use crate::server::input::AskError;

pub(crate) type Convert<T, R> = fn(T) -> Result<R, ProtocolError>;

/// The reason why a call ended before its function ran.
#[derive(Debug)]
pub enum CallRejection {
    /// The arguments are invalid, and the caller can correct them.
    Arguments(String),
    /// A parameter is a question that was not answered.
    Unanswered(AskError),
    /// The client gets this error.
    Protocol(ProtocolError),
}

/// The result of a call, which may have ended before its function ran.
pub trait CallResult: Sized + Send + 'static {
    /// Converts a rejection into the answer to the call.
    ///
    /// # Errors
    ///
    /// Returns the error that answers the call if there is no result.
    fn rejected(rejection: CallRejection) -> Result<Self, ProtocolError> {
        Err(match rejection {
            CallRejection::Arguments(text) => RequestError::InvalidArguments(text).to_error(),
            CallRejection::Unanswered(error) => error::to_protocol(error),
            CallRejection::Protocol(error) => error,
        })
    }
}

impl CallRejection {
    /// The rejection of a call that takes the argument `name` before it was read.
    pub(crate) fn unread(name: &'static str) -> Self {
        Self::Protocol(RequestError::UnreadArgument(name).to_error())
    }
}

impl From<InvalidArguments> for CallRejection {
    fn from(errors: InvalidArguments) -> Self {
        Self::Arguments(errors.to_string())
    }
}

/// Runs the function called `name`. In debug builds, warns if the function blocks its thread for long.
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

/// Converts the value of a function that has returned into a reply.
///
/// # Errors
///
/// Never fails. The return type is a `Result` because the same call reads arguments, which may fail.
pub fn ready<T, R, O: From<R>>(
    convert: Convert<T, R>,
    value: T,
) -> Result<Reply<O>, CallRejection> {
    Ok(Reply::Ready(convert(value).map(O::from)))
}

/// Converts the future of a function into a pending reply.
///
/// # Errors
///
/// Never fails. The return type is a `Result` because the same call reads arguments, which may fail.
pub fn pending<T: 'static, R: 'static, O: From<R>>(
    convert: Convert<T, R>,
    future: impl Future<Output = T> + Send + 'static,
) -> Result<Reply<O>, CallRejection> {
    Ok(Reply::Pending(Box::pin(async move {
        convert(future.await).map(O::from)
    })))
}

/// Runs `function` on a thread for blocking work. If the function panics, the panic is resumed in the
/// task that awaits the future.
pub async fn blocking<T: Send + 'static>(function: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(function).await {
        Ok(value) => value,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The task was cancelled because the runtime is shutting down, so no answer is needed.
            Err(_) => std::future::pending().await,
        },
    }
}

/// A value that a handler returns as JSON.
///
/// A tool returns the value as structured content, with a copy as text. Functions under `#[tool]`
/// need the wrapper only for strings that should be structured content. Closures need it for
/// everything except numbers and `bool`. To return other text or content next to the value, use
/// [`Structured`](crate::Structured).
///
/// A resource returns the value as its contents, with the media type `application/json`.
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

/// The value returned by a function that may or may not be async.
pub struct MaybeAsync<T>(pub T);

impl<F: Future> MaybeAsync<F> {
    /// Returns the future unchanged.
    pub fn future(self) -> F {
        self.0
    }
}

/// Gives values that are not futures the method `future`. Method lookup prefers the inherent method
/// of futures.
pub trait NotAsync<T> {
    /// Wraps the value in a future that is ready.
    fn future(self) -> Ready<T>;
}

impl<T> NotAsync<T> for MaybeAsync<T> {
    fn future(self) -> Ready<T> {
        std::future::ready(self.0)
    }
}

/// Implements `$trait` for types whose conversion to `$result` can't fail.
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

/// Implements `$arguments` for tuples of up to eight `$argument`s, which are declared to `$builder`
/// and read from `$call`.
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
