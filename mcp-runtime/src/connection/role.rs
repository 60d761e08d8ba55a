//! What distinguishes a server from a client.

use std::future::Future;
use std::pin::Pin;

use mcp_types::RawJsonRef;
use mcp_types::jsonrpc::write::ErrorId;
use mcp_types::jsonrpc::{ErrorObject, RequestId};

use crate::error::RequestError;
use crate::transport::Outbox;

/// A future that can be moved between threads, boxed.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// One side of a connection: it serves what the other side asks.
pub(crate) trait Role: Send + 'static {
    /// A result that can be written.
    type Answer: Outgoing;

    /// Whether this side is the client. A message without `method`, `result` and `error` is then
    /// a response, as most of what a server sends is one; and the time limits of its calls stand
    /// still while it answers requests of the server.
    const IS_CLIENT: bool;

    /// The peer has sent something, whatever it is.
    fn heard(&mut self) {}

    /// The peer has sent a frame that is no message at all.
    fn not_a_message(&mut self, _frame: &[u8]) {}

    /// Serves a request, at once or later.
    fn request(
        &mut self,
        id: &RequestId,
        method: &str,
        params: Option<RawJsonRef<'_>>,
    ) -> Served<Self::Answer>;

    /// Takes note of a notification; those about requests in flight never get here.
    fn notification(&mut self, method: &str, params: Option<RawJsonRef<'_>>);

    /// Whether the revision that is spoken has batches.
    fn accepts_batches(&self) -> Result<(), RequestError>;

    /// Whether requests of the peer are answered at all.
    fn answers(&self) -> bool;

    /// The id for an error about a message that is none, of which `id` could be read; `None` where
    /// such messages are not answered.
    fn error_id<'a>(&self, id: Option<&'a RequestId>) -> Option<ErrorId<'a>>;

    /// No new requests from here on.
    fn shut_down(&mut self);

    /// The connection is over.
    fn terminate(&mut self);
}

/// How a request is served.
pub(crate) enum Served<A> {
    /// It is answered.
    Now(Result<A, ErrorObject>),
    /// It will be; dropping the future cancels the request.
    Later(BoxFuture<Result<A, ErrorObject>>),
    /// It lasts until one side ends it, and is no work meanwhile.
    Open(BoxFuture<Result<A, ErrorObject>>),
}

impl<A> From<RequestError> for Served<A> {
    fn from(refusal: RequestError) -> Self {
        Self::Now(Err(refusal.to_error()))
    }
}

/// A result on its way out.
pub(crate) trait Outgoing: Send + 'static {
    /// Appends the response with this result to `out`.
    fn write(&self, out: &mut Vec<u8>, id: &RequestId) -> serde_json::Result<()>;

    /// The same into an outbox, as one line.
    fn send(&self, outbox: &mut Outbox, id: &RequestId) -> serde_json::Result<()> {
        outbox.push(|out| self.write(out, id))
    }
}
