//! Dispatches requests: from the decision of the lifecycle to the handler, and from the handler's
//! result to the answer.

mod answer;
mod request;
mod role;
mod router;
mod trace;

use crate::connection::BoxFuture;
use crate::error::ProtocolError;
pub(crate) use answer::Answer;
pub(in crate::server) use request::OwnedRequest;
pub(crate) use request::ServerRequest;
pub(crate) use role::ServerRole;
pub(in crate::server) use router::Router;

/// The result of a handler, which is either ready or pending.
///
/// A handler that does not wait returns a ready result, which needs neither an allocation nor a
/// task.
pub enum Reply<T> {
    /// The result.
    Ready(Result<T, ProtocolError>),
    /// The future of the result. Dropping the future cancels the call.
    Pending(BoxFuture<Result<T, ProtocolError>>),
}

impl<T: 'static> Reply<T> {
    /// Applies `change` to a successful result.
    pub(in crate::server) fn then<U: 'static>(
        self,
        change: impl FnOnce(T) -> Result<U, ProtocolError> + Send + 'static,
    ) -> Reply<U> {
        match self {
            Self::Ready(answer) => Reply::Ready(answer.and_then(change)),
            Self::Pending(future) => Reply::Pending(then(future, change)),
        }
    }
}

fn then<T: 'static, U>(
    future: BoxFuture<Result<T, ProtocolError>>,
    change: impl FnOnce(T) -> Result<U, ProtocolError> + Send + 'static,
) -> BoxFuture<Result<U, ProtocolError>> {
    Box::pin(async move { future.await.and_then(change) })
}
