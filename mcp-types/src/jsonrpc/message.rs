//! Messages as they are read: borrowed, with their payload raw.

use std::borrow::Cow;

use super::{ErrorObject, InvalidMessage, RequestId};
use crate::RawJsonRef;

/// The value of `jsonrpc` in every message.
pub const VERSION: &str = "2.0";

/// Content of one frame.
#[derive(Debug)]
pub enum Frame<'a> {
    /// One message.
    Single(Message<'a>),
    /// A batch, which only revision 2025-03-26 has: each member is a message or what is wrong
    /// with it. Never empty.
    Batch(Vec<Result<Message<'a>, InvalidMessage>>),
}

/// One JSON-RPC message, borrowed from the bytes it came in.
#[derive(Debug)]
pub enum Message<'a> {
    /// A call that wants an answer.
    Request {
        /// Its id, unique among the sender's requests in flight.
        id: RequestId,
        /// Which method is called.
        method: Cow<'a, str>,
        /// The parameters: absent, or a JSON object.
        params: Option<RawJsonRef<'a>>,
    },
    /// A message that wants no answer.
    Notification {
        /// The method.
        method: Cow<'a, str>,
        /// The parameters: absent, or a JSON object.
        params: Option<RawJsonRef<'a>>,
    },
    /// The answer to a request.
    Response {
        /// The id of the request; absent in an error about a message whose id could not be read.
        id: Option<RequestId>,
        /// The result, or the error.
        outcome: Result<RawJsonRef<'a>, ErrorObject>,
    },
    /// A malformed response: a message with `result` or `error` and without `method`, which can't
    /// be used. It fails the request that it names; no error is ever sent about it.
    InvalidResponse {
        /// The id of the request, where it could be read.
        id: Option<RequestId>,
        /// The fault, for a person.
        reason: String,
    },
}
