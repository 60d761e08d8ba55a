//! The two roles in a connection: server and client.

use std::future::Future;
use std::pin::Pin;

use mcp_types::RawJsonRef;
use mcp_types::jsonrpc::write::ErrorId;
use mcp_types::jsonrpc::{ErrorObject, RequestId};

use super::handler::Outgoing;
use crate::error::RequestError;

/// A future that can be moved between threads, boxed.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// One side of a connection: it serves the requests of the other side.
pub(crate) trait Role: Send + 'static {
    /// A result that can be written.
    type Answer: Outgoing;

    /// Whether this side is the client. A message without `method`, `result` and `error` is then
    /// a response, as most of what a server sends is one; and the time limits of its calls stand
    /// still while it answers requests of the server.
    const IS_CLIENT: bool;

    /// Notes that the peer has sent a frame.
    fn heard(&mut self) {}

    /// Notes that the peer has sent a frame that is no message.
    fn not_a_message(&mut self, _frame: &[u8]) {}

    /// Serves a request of a stream, at once or later.
    fn request(
        &mut self,
        id: &RequestId,
        method: &str,
        params: Option<RawJsonRef<'_>>,
    ) -> Served<Self::Answer>;

    /// Takes note of a notification of a stream, other than a cancellation.
    fn notification(&mut self, method: &str, params: Option<RawJsonRef<'_>>);

    /// Checks that the negotiated revision has batches.
    fn accepts_batches(&self) -> Result<(), RequestError>;

    /// Whether requests of the peer are answered at all.
    fn answers(&self) -> bool;

    /// The id in an error about an invalid message, of which `id` could be read; `None` where such
    /// messages are not answered.
    fn error_id<'a>(&self, id: Option<&'a RequestId>) -> Option<ErrorId<'a>>;

    /// Refuses new requests from here on.
    fn shut_down(&mut self);

    /// Notes that the connection is over.
    fn terminate(&mut self);
}

/// The answer to a request, or the future of it.
pub(crate) enum Served<A> {
    /// The answer.
    Now(Result<A, ErrorObject>),
    /// A handler; dropping it cancels the request.
    Later(BoxFuture<Result<A, ErrorObject>>),
    /// A subscription, which lasts until one side ends it.
    Open(BoxFuture<Result<A, ErrorObject>>),
}

impl<A> From<RequestError> for Served<A> {
    fn from(error: RequestError) -> Self {
        Self::Now(Err(error.to_error()))
    }
}
