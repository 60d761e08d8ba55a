//! Panics of handlers, contained.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use mcp_types::jsonrpc::{ErrorObject, code};

/// Runs `f`; a panic becomes an error without details, which go to the log.
pub(crate) fn contain<T>(f: impl FnOnce() -> T) -> Result<T, ErrorObject> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|payload| {
        tracing::error!(panic = text(&*payload), "a handler panicked");
        ErrorObject::new(code::INTERNAL_ERROR, "Internal error")
    })
}

fn text(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

/// A future whose panics are contained.
pub(crate) struct Contained<F>(pub(crate) Pin<Box<F>>)
where
    F: ?Sized;

impl<F, T> Future for Contained<F>
where
    F: Future<Output = Result<T, ErrorObject>> + ?Sized,
{
    type Output = Result<T, ErrorObject>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match contain(|| self.0.as_mut().poll(cx)) {
            Ok(poll) => poll,
            Err(error) => Poll::Ready(Err(error)),
        }
    }
}
