//! Responses: messages, streams of events, refusals, and the HTTP status of JSON-RPC errors.

use http::header::{ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http::{Response, StatusCode};
use mcp_types::error_codes;
use mcp_types::jsonrpc::write::{self, ErrorId};
use mcp_types::jsonrpc::{ErrorObject, code};

use super::body::ResponseBody;
use crate::error::RequestError;
use crate::transport::http::event_stream::EventStream;
use crate::transport::http::headers;

/// A JSON-RPC message.
pub(crate) fn json(status: StatusCode, message: Vec<u8>) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::full(message.into()));
    *response.status_mut() = status;
    let json = HeaderValue::from_static(headers::JSON);
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

/// A stream of events.
pub(crate) fn events(events: EventStream) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::events(events));
    let headers = response.headers_mut();
    let kind = HeaderValue::from_static(headers::EVENT_STREAM);
    headers.insert(CONTENT_TYPE, kind);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // Makes nginx and its like pass on events as they come.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// Only a status.
pub(crate) fn empty(status: StatusCode) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::empty());
    *response.status_mut() = status;
    response
}

/// The status of a request that its session does not serve. Otherwise the handshake era answers a
/// message that was understood with 200, whatever the outcome.
pub(crate) fn refused_session(error: &RequestError) -> StatusCode {
    match error {
        RequestError::Busy(_) => StatusCode::TOO_MANY_REQUESTS,
        RequestError::Ending(_) => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    }
}

/// The status of a stateless request: the era has one for each error of the protocol (2026-07-28,
/// "Streamable HTTP"). Before it was `admitted`, invalid parameters are such an error, too.
pub(crate) fn stateless(error: Option<&ErrorObject>, admitted: bool) -> StatusCode {
    match error.map(|error| error.code) {
        Some(
            code::PARSE_ERROR
            | code::INVALID_REQUEST
            | error_codes::HEADER_MISMATCH
            | error_codes::MISSING_REQUIRED_CLIENT_CAPABILITY
            | error_codes::UNSUPPORTED_PROTOCOL_VERSION,
        ) => StatusCode::BAD_REQUEST,
        Some(code::INVALID_PARAMS) if !admitted => StatusCode::BAD_REQUEST,
        Some(code::METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    }
}

/// A request that HTTP itself refuses. The text is for the client, and tells nothing about the inside
/// of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Rejection {
    /// The page that sent the request, or the name it used for this server, is not trusted.
    #[error("this host is not allowed")]
    Host,
    /// See [`Host`](Self::Host).
    #[error("this origin is not allowed")]
    Origin,
    /// The header `Host` is missing, or there is more than one.
    #[error("`Host` must be given once")]
    HostHeader,
    /// The path is not served.
    #[error("there is nothing at this path")]
    Path,
    /// The method is not served here; the header says which are.
    #[error("this method is not allowed")]
    Method(&'static str),
    /// The client does not take what it would get.
    #[error("`Accept` must allow application/json and text/event-stream")]
    Accept,
    /// The body is not JSON, by its header.
    #[error("`Content-Type` must be application/json")]
    ContentType,
    /// The body is too long.
    #[error("Invalid request: the message exceeds the limit of {0} bytes")]
    TooLarge(usize),
    /// The body did not arrive in time.
    #[error("the body took too long")]
    Timeout,
    /// The body broke off.
    #[error("the body is incomplete")]
    Body,
    /// A session is needed, and the request names none.
    #[error("`Mcp-Session-Id` is missing: send `initialize` first")]
    SessionMissing,
    /// The session is unknown, over, or somebody else's.
    #[error("there is no such session")]
    SessionUnknown,
    /// The version in the header is none that the session could speak.
    #[error("`MCP-Protocol-Version` names no version that is served")]
    Version,
    /// An event id that this server did not give out.
    #[error("`Last-Event-ID` names no event of this session")]
    EventId,
    /// As many sessions as the limit are open.
    #[error("too many sessions are open; try again later")]
    TooManySessions,
    /// A store of sessions or events, or randomness for a session, is not available.
    #[error("sessions are unavailable; try again later")]
    Unavailable,
    /// Too much of request bodies is in memory.
    #[error("too many request bodies are being received; try again later")]
    TooManyBodies,
    /// The client leaves too many answers unread.
    #[error("too many answers wait to be read; read them first")]
    Unread,
    /// The server is shutting down.
    #[error("the server is shutting down")]
    Ending,
}

impl Rejection {
    fn status(self) -> StatusCode {
        match self {
            Self::Host | Self::Origin => StatusCode::FORBIDDEN,
            Self::Path | Self::SessionUnknown => StatusCode::NOT_FOUND,
            Self::Method(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::Accept => StatusCode::NOT_ACCEPTABLE,
            Self::ContentType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Timeout => StatusCode::REQUEST_TIMEOUT,
            Self::HostHeader
            | Self::Body
            | Self::SessionMissing
            | Self::Version
            | Self::EventId => StatusCode::BAD_REQUEST,
            Self::TooManySessions
            | Self::Unavailable
            | Self::TooManyBodies
            | Self::Unread
            | Self::Ending => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The answer: a JSON-RPC error without an id, since no message was read.
    pub(crate) fn response(self) -> Response<ResponseBody> {
        tracing::debug!(reason = %self, "a request was rejected");
        let status = self.status();
        let code = if status.is_server_error() {
            code::INTERNAL_ERROR
        } else {
            code::INVALID_REQUEST
        };
        let error = ErrorObject::new(code, self.to_string());
        let mut out = Vec::new();
        write::error(&mut out, ErrorId::Absent, &error);
        let mut response = json(status, out);
        let headers = response.headers_mut();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        match self {
            Self::Method(allowed) => {
                headers.insert(ALLOW, HeaderValue::from_static(allowed));
            }
            // What is left of the body is not read, so the connection is of no more use.
            Self::Timeout | Self::TooLarge(_) | Self::TooManyBodies => {
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
            }
            _ => {}
        }
        response
    }
}
