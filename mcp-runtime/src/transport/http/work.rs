//! A handler that has to wait, up to the bytes of its answer.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::StatusCode;
use mcp_types::jsonrpc::{ErrorObject, RequestId};

use super::permits::Permit;
use crate::connection::{BoxFuture, Contained, write_response};
use crate::server::Answer;

/// The status that an outcome is answered with, if it is answered with JSON.
pub(super) type StatusOf = fn(Option<&ErrorObject>) -> StatusCode;

/// A handler at work. Dropping it cancels the call.
pub(super) struct Work {
    id: RequestId,
    handler: Contained<dyn Future<Output = Result<Answer, ErrorObject>> + Send>,
    status_of: StatusOf,
    _permit: Option<Permit>,
}

impl Work {
    pub(super) fn new(
        id: RequestId,
        handler: BoxFuture<Result<Answer, ErrorObject>>,
        status_of: StatusOf,
    ) -> Self {
        Self {
            id,
            handler: Contained(handler),
            status_of,
            _permit: None,
        }
    }

    /// Keeps a place among the calls of a principal until the work is done.
    pub(super) fn holding(mut self, permit: Permit) -> Self {
        self._permit = Some(permit);
        self
    }
}

impl Future for Work {
    type Output = (StatusCode, Vec<u8>);

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let outcome = std::task::ready!(Pin::new(&mut self.handler).poll(cx));
        Poll::Ready(written(&self.id, &outcome, self.status_of))
    }
}

/// An outcome as it is sent.
pub(super) fn written(
    id: &RequestId,
    outcome: &Result<Answer, ErrorObject>,
    status_of: StatusOf,
) -> (StatusCode, Vec<u8>) {
    let mut message = Vec::with_capacity(256);
    write_response(&mut message, id, outcome);
    (status_of(outcome.as_ref().err()), message)
}
