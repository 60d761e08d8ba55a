//! The JSON-RPC errors for messages that are not served.

use std::time::Duration;

use mcp_types::jsonrpc::write::{self, ErrorId};
use mcp_types::jsonrpc::{ErrorObject, RequestId, code};
use mcp_types::{RawJson, Revision, Revisions, error_codes};
use serde_json::{Value, json};

use super::LifecycleState;
use crate::limits::size;

/// The reason why a message is not served. [`to_error`](Self::to_error) returns the answer to its
/// sender.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum RequestError {
    #[error("Not initialized: send `initialize` first")]
    NotInitialized,
    /// A handshake-era request between the answer to `initialize` and `notifications/initialized`.
    #[error("Not initialized: send `notifications/initialized` first")]
    InitializedMissing,
    #[error("Already initialized: the connection is {0}")]
    AlreadyInitialized(LifecycleState),
    #[error("The session is {0}: no new requests are served")]
    Ending(LifecycleState),
    /// A method that does not exist in any revision, or not in this direction.
    #[error("Method not found: {0}")]
    UnknownMethod(String),
    #[error("Method not found: {method} does not exist in revision {revision}")]
    NotInRevision {
        method: &'static str,
        revision: Revision,
    },
    #[error("Method not found: {method} needs the capability `{capability}`, which is not offered")]
    NotOffered {
        method: &'static str,
        capability: &'static str,
    },
    #[error("Invalid params: {path}: {reason}")]
    InvalidParams { path: String, reason: String },
    #[error("Unsupported protocol version")]
    UnsupportedVersion {
        code: i64,
        requested: String,
        supported: Revisions,
    },
    #[error("{message}")]
    MissingCapability {
        code: i64,
        message: String,
        data: Value,
    },
    #[error("Header mismatch: {0}")]
    HeaderMismatch(String),
    #[error("Invalid request: the id {0} belongs to a request that is still in flight")]
    DuplicateId(RequestId),
    #[error("Busy: {0} requests are in flight already; try again later")]
    Busy(usize),
    #[error(
        "The server is shutting down: the call was cancelled before it was done, and what it did until \
         then stands"
    )]
    ShuttingDown,
    /// An answer to a client that has left more than twice the limit unread.
    #[error(
        "Too many answers wait to be read, and this one was dropped: what the call did stands. Read the \
         others first"
    )]
    Unread,
    #[error(
        "The access has expired, and the stream ended with it: authenticate again, and repeat the request"
    )]
    AccessExpired,
    #[error("Too many subscriptions: a client may have {0}; end some first")]
    TooManySubscriptions(usize),
    /// An operation whose scopes the caller does not have. The message is from the access policy.
    #[error("{message}")]
    AccessDenied { code: i64, message: String },
    #[error("Unknown tool: {0}")]
    UnknownTool(String),
    #[error("Unknown prompt: {0}")]
    UnknownPrompt(String),
    #[error("Resource not found: {uri}")]
    ResourceNotFound { uri: String, code: i64 },
    #[error("the file is larger than the limit of {0} bytes")]
    FileTooLarge(u64),
    #[error("the resource can't be written as JSON: {0}")]
    ResourceNotJson(String),
    /// A call that the server behind a proxy did not answer.
    #[error("The call failed: {0}")]
    CallFailed(String),
    /// A server behind a proxy that can't be reached.
    #[error("The server can't be reached: {0}")]
    NotConnected(String),
    #[error("All {0} connections to the server are in use: try again later")]
    TooManyConnections(usize),
    #[error("A person must log in to the server first, at {0}")]
    LoginRequired(String),
    /// The state of a retried call that a proxy does not wait for.
    #[error("Invalid params: params.requestState: belongs to no call that waits for an answer")]
    NotParked,
    /// A question of the server behind a proxy while no call is in flight.
    #[error("no caller can be asked: no call is in flight")]
    NoCaller,
    #[error(
        "no caller can be asked: calls of several callers are in flight, and a question does not say \
         which of them it belongs to"
    )]
    SeveralCallers,
    #[error("Invalid request: the message exceeds the limit of {}", size(*.0))]
    TooLarge(usize),
    /// A question that the handler of this client, or the caller of a proxy, did not answer.
    #[error("{0}")]
    NoAnswer(String),
    #[error("Invalid request: {0} has no batches")]
    NoBatches(String),
    #[error(
        "Invalid request: a batch needs a handshake that settles on a revision with batches, and the \
         connection is {0}"
    )]
    BatchBeforeHandshake(LifecycleState),
    #[error("Invalid request: `initialize` can't be part of a batch")]
    InitializeInBatch,
    #[error("Invalid request: the answers exceed {0} bytes; send the rest of the batch separately")]
    BatchTooLarge(usize),
    /// A response over HTTP with the headers of a stateless revision.
    #[error("Invalid request: responses are not accepted in this revision")]
    StatelessResponse,
    #[error("Invalid response: {0}")]
    InvalidResponse(String),
    /// A question that a handler asks, but the protocol does not allow.
    #[error("`{key}`: {reason}")]
    InvalidQuestion { key: String, reason: String },
    #[error("The call has asked {0} times and still has questions")]
    TooManyRounds(u32),
    #[error(
        "The server is one of several replicas and can't ask this client: \
         it needs `state_keys`, the same in all replicas"
    )]
    NoStateKeys,
    #[error("Only questions that open a web page can be asked with an error")]
    NoUrlElicitation,
    /// A call that needs the user to visit web pages first. The pages are the data of the error.
    #[error("The user has to visit a web page first")]
    UrlElicitationRequired(RawJson),
    /// A request that a layer has refused, and that may be repeated after a time.
    #[error("Too many requests: try again in {} ms", .0.as_millis())]
    TooManyRequests(Duration),
    /// A result of an extension's method that is not an object.
    #[error("the result can't be sent: {0}")]
    UnsendableResult(String),
    /// A fault of this side. The details are only logged.
    #[error("Internal error")]
    Internal,
    /// Arguments of a prompt, or variables of a resource, that are not valid.
    #[error("{0}")]
    InvalidArguments(String),
    #[error("argument `{0}` was not read")]
    UnreadArgument(&'static str),
    #[error("the result can't be written as JSON: {0}")]
    UnwritableResult(String),
    #[error("The result does not fit the output schema of the tool")]
    InvalidResult,
}

impl RequestError {
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
            | Self::NotParked
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
