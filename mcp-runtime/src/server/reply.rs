//! Answers that are there at once, or come later.

use std::future::poll_fn;

use crate::connection::BoxFuture;
use crate::error::ProtocolError;

/// What a handler gives back.
///
/// A handler that has nothing to wait for answers at once, which costs neither an allocation nor
/// a task.
pub enum Reply<T> {
    /// The answer.
    Ready(Result<T, ProtocolError>),
    /// The answer will come; dropping the future cancels the call.
    Pending(BoxFuture<Result<T, ProtocolError>>),
}

impl<T: 'static> Reply<T> {
    /// What `change` makes of the answer.
    pub(super) fn then<U: 'static>(
        self,
        change: impl Fn(T) -> Result<U, ProtocolError> + Send + 'static,
    ) -> Reply<U> {
        match self {
            Self::Ready(answer) => Reply::Ready(answer.and_then(change)),
            Self::Pending(future) => Reply::Pending(then(future, change)),
        }
    }
}

/// What `change` makes of what comes.
pub(super) fn then<T: 'static, U>(
    mut future: BoxFuture<Result<T, ProtocolError>>,
    change: impl Fn(T) -> Result<U, ProtocolError> + Send + 'static,
) -> BoxFuture<Result<U, ProtocolError>> {
    Box::pin(poll_fn(move |task| {
        let poll = future.as_mut().poll(task);
        poll.map(|answer| answer.and_then(&change))
    }))
}
