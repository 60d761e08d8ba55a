//! Handlers of requests: polled once in place, with their panics contained.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use mcp_types::jsonrpc::ErrorObject;

use super::Served;
use super::in_flight::Kind;
use crate::error::RequestError;

/// A handler that has to wait.
pub(crate) type Handler<A> = Contained<dyn Future<Output = Result<A, ErrorObject>> + Send>;

/// The state of a request once its handler was polled.
pub(crate) enum Progress<A, K> {
    /// The handler is done. `K` is present if it had begun by `begin`.
    Done(Result<A, ErrorObject>, Option<K>),
    /// The handler has to wait.
    Waits(Handler<A>, K),
    /// The handler did not run.
    Refused(RequestError),
}

/// Polls a handler once: most are done then, and a task costs more than the call. A handler that may
/// have to wait is only polled if `begin` admits it. A panic is an error already.
pub(crate) fn poll_once<A, K>(
    served: Result<Served<A>, ErrorObject>,
    begin: impl FnOnce(Kind) -> Result<K, RequestError>,
) -> Progress<A, K> {
    let (kind, future) = match served {
        Ok(Served::Now(outcome)) => return Progress::Done(outcome, None),
        Err(panic) => return Progress::Done(Err(panic), None),
        Ok(Served::Later(future)) => (Kind::Work, future),
        Ok(Served::Open(future)) => (Kind::Open, future),
    };
    let key = match begin(kind) {
        Ok(key) => key,
        Err(error) => return Progress::Refused(error),
    };
    let mut handler = Contained(future);
    let mut cx = Context::from_waker(Waker::noop());
    match Pin::new(&mut handler).poll(&mut cx) {
        Poll::Ready(outcome) => Progress::Done(outcome, Some(key)),
        Poll::Pending => Progress::Waits(handler, key),
    }
}

/// Runs `f`; a panic becomes an error without details, which go to the log.
pub(crate) fn contain<T>(f: impl FnOnce() -> T) -> Result<T, ErrorObject> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|payload| {
        tracing::error!(panic = text(&*payload), "a handler panicked");
        RequestError::Internal.to_error()
    })
}

fn text(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

/// A future whose panics are contained.
pub(crate) struct Contained<F: ?Sized>(pub(crate) Pin<Box<F>>);

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
