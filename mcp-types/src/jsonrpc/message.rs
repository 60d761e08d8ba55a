//! Messages with undecoded payloads, borrowed from a frame.

use std::borrow::Cow;

use super::{ErrorObject, InvalidMessage, RequestId};
use crate::RawJsonRef;

/// The value of `jsonrpc` in every message.
pub const VERSION: &str = "2.0";

/// The content of one frame.
#[derive(Debug)]
pub enum Frame<'a> {
    /// One message.
    Single(Message<'a>),
    /// A batch, which only revision 2025-03-26 allows. Each item is a message or the error about an
    /// invalid one. Never empty.
    Batch(Vec<Result<Message<'a>, InvalidMessage>>),
}

/// One JSON-RPC message, borrowed from its frame.
#[derive(Debug)]
pub enum Message<'a> {
    /// A request, which expects a response.
    Request {
        /// The id, unique among the sender's requests in flight.
        id: RequestId,
        /// The requested method.
        method: Cow<'a, str>,
        /// The parameters: absent, or a JSON object.
        params: Option<RawJsonRef<'a>>,
    },
    /// A notification, which has no response.
    Notification {
        /// The method.
        method: Cow<'a, str>,
        /// The parameters: absent, or a JSON object.
        params: Option<RawJsonRef<'a>>,
    },
    /// A response to a request.
    Response {
        /// The id of the request, or `None` in an error about a message whose id could not be read.
        id: Option<RequestId>,
        /// The result or the error.
        outcome: Result<RawJsonRef<'a>, ErrorObject>,
    },
    /// A malformed response: a message that has `result` or `error` but no `method`, and can't be
    /// decoded. The request with its id fails; no error is sent to the peer.
    InvalidResponse {
        /// The id of the request, if it could be read.
        id: Option<RequestId>,
        /// Description of the fault.
        reason: String,
    },
}
