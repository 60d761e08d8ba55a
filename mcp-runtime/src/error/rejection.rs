//! Errors of HTTP requests that are refused before a message is read.

use http::StatusCode;
use mcp_types::jsonrpc::{ErrorObject, code};

use super::AccessDenied;

/// An HTTP request that is refused before its message is read. The text is for the client, and
/// reveals nothing internal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Rejection {
    /// The page that sent the request, or the name it used for this server, is not trusted.
    #[error("this host is not allowed: the server must have it in `allowed_hosts`")]
    Host,
    /// See [`Host`](Self::Host).
    #[error("this origin is not allowed: the server must have it in `allowed_origins`")]
    Origin,
    /// The access policy does not admit the request. Its text is for the caller alone.
    #[error("the access policy denies the request")]
    Denied(Box<AccessDenied>),
    /// The access policy has not decided in time.
    #[error("it took too long to check who calls; try again later")]
    PolicyTimeout,
    /// The access policy panicked.
    #[error("internal error")]
    Internal,
    /// As many requests as the limit are in flight.
    #[error("too many requests are in flight already; try again later")]
    Busy,
    /// The header `Host` is missing, or there is more than one.
    #[error("`Host` must be given once")]
    HostHeader,
    /// The header `Host` and the pseudo-header `:authority` of HTTP/2 differ.
    #[error("`Host` differs from `:authority`")]
    Authority,
    /// The path is not served; the value is that of MCP.
    #[error("there is nothing at this path: MCP is at `{0}`")]
    Path(String),
    /// The method is not allowed; the value is the `Allow` header.
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
    /// The version in the header is not supported by sessions.
    #[error("`MCP-Protocol-Version` names no version that is served")]
    Version,
    /// An event id that this server did not give out.
    #[error("`Last-Event-ID` names no event of this stream")]
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
    /// The program mounts the service, but has not started it.
    #[error("the server has not been started")]
    NotStarted,
    /// The server is shutting down.
    #[error("the server is shutting down")]
    Ending,
}

impl Rejection {
    /// The status of the response.
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::Denied(denied) => denied.status(),
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Busy => StatusCode::TOO_MANY_REQUESTS,
            Self::Host | Self::Origin => StatusCode::FORBIDDEN,
            Self::Path(_) | Self::SessionUnknown => StatusCode::NOT_FOUND,
            Self::Method(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::Accept => StatusCode::NOT_ACCEPTABLE,
            Self::ContentType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Timeout => StatusCode::REQUEST_TIMEOUT,
            Self::HostHeader
            | Self::Authority
            | Self::Body
            | Self::SessionMissing
            | Self::Version
            | Self::EventId => StatusCode::BAD_REQUEST,
            Self::PolicyTimeout
            | Self::TooManySessions
            | Self::Unavailable
            | Self::TooManyBodies
            | Self::Unread
            | Self::NotStarted
            | Self::Ending => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The JSON-RPC error, which has no id, since no message was read.
    pub(crate) fn to_error(&self) -> ErrorObject {
        let status = self.status();
        let is_ours = status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS;
        let code = if is_ours {
            code::INTERNAL_ERROR
        } else {
            code::INVALID_REQUEST
        };
        match self {
            Self::Denied(denied) => ErrorObject::new(code, denied.text()),
            _ => ErrorObject::new(code, self.to_string()),
        }
    }
}
