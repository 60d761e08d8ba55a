//! JSON-RPC errors of messages that are not served.

use std::time::Duration;

use mcp_types::jsonrpc::write::{self, ErrorId};
use mcp_types::jsonrpc::{ErrorObject, RequestId, code};
use mcp_types::{RawJson, Revision, Revisions, error_codes};
use serde_json::{Value, json};

use super::LifecycleState;

/// The cause for which a message is not served; [`to_error`](Self::to_error) is the answer to its
/// sender.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum RequestError {
    /// A handshake-era request before `initialize`.
    #[error("Not initialized: send `initialize` first")]
    NotInitialized,
    /// A handshake-era request between the answer to `initialize` and the notification.
    #[error("Not initialized: send `notifications/initialized` first")]
    InitializedMissing,
    /// A second `initialize` on one connection.
    #[error("Already initialized: the connection is {0}")]
    AlreadyInitialized(LifecycleState),
    /// A request while the connection ends.
    #[error("The session is {0}: no new requests are served")]
    Ending(LifecycleState),
    /// A method that no revision has, or not in this direction.
    #[error("Method not found: {0}")]
    UnknownMethod(String),
    /// A method of another revision.
    #[error("Method not found: {method} does not exist in revision {revision}")]
    NotInRevision {
        method: &'static str,
        revision: Revision,
    },
    /// A method whose capability this server does not offer.
    #[error("Method not found: {method} needs the capability `{capability}`, which is not offered")]
    NotOffered {
        method: &'static str,
        capability: &'static str,
    },
    /// Parameters that do not fit the method.
    #[error("Invalid params: {path}: {reason}")]
    InvalidParams { path: String, reason: String },
    /// A version that is unknown or not supported.
    #[error("Unsupported protocol version")]
    UnsupportedVersion {
        code: i64,
        requested: String,
        supported: Revisions,
    },
    /// The client lacks capabilities that the server can't do without.
    #[error("{message}")]
    MissingCapability {
        code: i64,
        message: String,
        data: Value,
    },
    /// Headers that are missing, or differ from the body.
    #[error("Header mismatch: {0}")]
    HeaderMismatch(String),
    /// The id of a request that is still in flight.
    #[error("Invalid request: the id {0} belongs to a request that is still in flight")]
    DuplicateId(RequestId),
    /// More requests in flight than the limit.
    #[error("Busy: {0} requests are in flight already; try again later")]
    Busy(usize),
    /// A call that is still in flight when the server has no more time for it.
    #[error(
        "The server is shutting down: the call was cancelled before it was done, and what it did until \
         then stands"
    )]
    ShuttingDown,
    /// An answer beyond twice the limit of what a client may leave unread.
    #[error(
        "Too many answers wait to be read, and this one was dropped: what the call did stands. Read the \
         others first"
    )]
    Unread,
    /// A call, or a subscription, that is still answered by a stream when the access of its caller
    /// ends.
    #[error(
        "The access has expired, and the stream ended with it: authenticate again, and repeat the request"
    )]
    AccessExpired,
    /// A subscription beyond what one client may have.
    #[error("Too many subscriptions: a client may have {0}; end some first")]
    TooManySubscriptions(usize),
    /// An operation whose scopes the caller does not have. The text is that of the access policy.
    #[error("{message}")]
    AccessDenied { code: i64, message: String },
    /// A tool that this server does not have.
    #[error("Unknown tool: {0}")]
    UnknownTool(String),
    /// A prompt that this server does not have.
    #[error("Unknown prompt: {0}")]
    UnknownPrompt(String),
    /// A URI under which this server has nothing.
    #[error("Resource not found: {uri}")]
    ResourceNotFound { uri: String, code: i64 },
    /// A file over the limit of a file tree.
    #[error("the file is larger than the limit of {0} bytes")]
    FileTooLarge(u64),
    /// Contents of a resource that can't be written.
    #[error("the resource can't be written as JSON: {0}")]
    ResourceNotJson(String),
    /// A call that the server behind a proxy did not answer.
    #[error("the call could not be passed on: {0}")]
    NotForwarded(String),
    /// A question of the server behind a proxy, outside any call.
    #[error("no caller can be asked: no call is in flight")]
    NoCaller,
    /// A question of the server behind a proxy that may belong to several callers.
    #[error(
        "no caller can be asked: calls of several callers are in flight, and a question does not say \
         which of them it belongs to"
    )]
    SeveralCallers,
    /// A frame over the size limit.
    #[error("Invalid request: the message exceeds the limit of {0} bytes")]
    TooLarge(usize),
    /// A question that the handler of this client, or the caller of a proxy, has not answered.
    #[error("{0}")]
    NoAnswer(String),
    /// A batch in a revision, or over a transport, that has none.
    #[error("Invalid request: {0} has no batches")]
    NoBatches(String),
    /// A batch before a handshake.
    #[error(
        "Invalid request: a batch needs a handshake that settles on a revision with batches, and the \
         connection is {0}"
    )]
    BatchBeforeHandshake(LifecycleState),
    /// A handshake in a batch.
    #[error("Invalid request: `initialize` can't be part of a batch")]
    InitializeInBatch,
    /// A request in a batch whose answers are too long already.
    #[error("Invalid request: the answers exceed {0} bytes; send the rest of the batch separately")]
    BatchTooLarge(usize),
    /// A response with the headers of a stateless revision.
    #[error("Invalid request: responses are not accepted in this revision")]
    StatelessResponse,
    /// A malformed response.
    #[error("Invalid response: {0}")]
    InvalidResponse(String),
    /// A question of a handler that the protocol does not allow.
    #[error("`{key}`: {reason}")]
    InvalidQuestion { key: String, reason: String },
    /// A call that asks the client in more rounds than the limit.
    #[error("The call has asked {0} times and still has questions")]
    TooManyRounds(u32),
    /// Questions that are no web pages, where only an error can ask.
    #[error("Only questions that open a web page can be asked with an error")]
    NoUrlElicitation,
    /// Web pages to visit before the call is repeated, as the data of the error.
    #[error("The user has to visit a web page first")]
    UrlElicitationRequired(RawJson),
    /// A request that a layer has refused, which may be repeated after a time.
    #[error("Too many requests: try again in {} ms", .0.as_millis())]
    TooManyRequests(Duration),
    /// A result of an extension's method that is no object.
    #[error("the result can't be sent: {0}")]
    UnsendableResult(String),
    /// A fault of this side, whose details are only logged.
    #[error("Internal error")]
    Internal,
    /// Arguments of a prompt, or variables of a resource, that are not valid.
    #[error("{0}")]
    InvalidArguments(String),
    /// An argument whose value was taken before it was read.
    #[error("argument `{0}` was not read")]
    UnreadArgument(&'static str),
    /// A tool's result without a JSON form.
    #[error("the result can't be written as JSON: {0}")]
    UnwritableResult(String),
    /// A tool's result that does not fit its output schema.
    #[error("The result does not fit the output schema of the tool")]
    InvalidResult,
}

impl RequestError {
    /// The error to answer with.
    pub(crate) fn to_error(&self) -> ErrorObject {
        let error = ErrorObject::new(self.code(), self.to_string());
        match self {
            Self::UnsupportedVersion {
                requested,
                supported,
                ..
            } => {
                let supported: Vec<_> = supported.iter().rev().map(Revision::as_str).collect();
                error.with_data(json!({"requested": requested, "supported": supported}))
            }
            Self::MissingCapability { data, .. } => error.with_data(data.clone()),
            Self::ResourceNotFound { uri, .. } => error.with_data(json!({"uri": uri})),
            Self::UrlElicitationRequired(pages) => error.with_data(pages.clone()),
            Self::TooManyRequests(time) => {
                let time = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
                error.with_data(json!({"retryAfterMs": time}))
            }
            _ => error,
        }
    }

    /// The response to the request `id`.
    pub(crate) fn response(&self, id: &RequestId) -> Vec<u8> {
        let mut response = Vec::new();
        write::error(&mut response, ErrorId::Of(id), &self.to_error());
        response
    }

    fn code(&self) -> i64 {
        match self {
            Self::NotInitialized
            | Self::InitializedMissing
            | Self::AlreadyInitialized(_)
            | Self::DuplicateId(_)
            | Self::TooLarge(_)
            | Self::NoBatches(_)
            | Self::BatchBeforeHandshake(_)
            | Self::InitializeInBatch
            | Self::BatchTooLarge(_)
            | Self::StatelessResponse
            | Self::InvalidResponse(_) => code::INVALID_REQUEST,
            Self::UnknownMethod(_) | Self::NotInRevision { .. } | Self::NotOffered { .. } => {
                code::METHOD_NOT_FOUND
            }
            Self::InvalidParams { .. }
            | Self::UnknownTool(_)
            | Self::UnknownPrompt(_)
            | Self::InvalidArguments(_) => code::INVALID_PARAMS,
            Self::AccessDenied { code, .. }
            | Self::ResourceNotFound { code, .. }
            | Self::MissingCapability { code, .. }
            | Self::UnsupportedVersion { code, .. } => *code,
            Self::HeaderMismatch(_) => error_codes::HEADER_MISMATCH,
            Self::UrlElicitationRequired(_) => error_codes::URL_ELICITATION_REQUIRED,
            _ => code::INTERNAL_ERROR,
        }
    }
}

impl From<RequestError> for ErrorObject {
    fn from(error: RequestError) -> Self {
        error.to_error()
    }
}
