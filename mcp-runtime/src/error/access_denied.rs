//! The errors for HTTP requests that are refused before their message is read.

use std::borrow::Cow;
use std::time::Duration;

use http::header::{
    CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
};
use http::{Response, StatusCode};
use mcp_types::jsonrpc::{ErrorObject, code};

use crate::limits::size;

/// The answer to a request that an [`AccessPolicy`](crate::transport::http::AccessPolicy) does not
/// admit: a status, headers, and a message for the caller.
///
/// The message is sent in a JSON-RPC error without an id. It is not logged.
///
/// ```
/// use http::header::HeaderValue;
/// use mcp_runtime::transport::http::AccessDenied;
///
/// let challenge = HeaderValue::from_static(r#"Bearer error="invalid_token""#);
/// let denied = AccessDenied::unauthorized(challenge).message("the token has expired");
/// assert_eq!(denied.status(), 401);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{status}: {message}")]
pub struct AccessDenied {
    status: StatusCode,
    // Boxed because a header map is large, and errors are moved often.
    headers: Box<HeaderMap>,
    message: Cow<'static, str>,
}

impl AccessDenied {
    /// Creates an answer with the status of an error. A status below 400 is replaced by 403.
    #[must_use]
    pub fn new(status: StatusCode) -> Self {
        let status = if status.is_client_error() || status.is_server_error() {
            status
        } else {
            StatusCode::FORBIDDEN
        };
        Self {
            status,
            headers: Box::default(),
            message: Cow::Borrowed(status.canonical_reason().unwrap_or("access denied")),
        }
    }

    /// Creates a 401: the caller is not known. `challenge` is the value of `WWW-Authenticate`,
    /// which says how to authenticate (RFC 9110, section 11.6.1).
    #[must_use]
    pub fn unauthorized(challenge: HeaderValue) -> Self {
        Self::new(StatusCode::UNAUTHORIZED).header(WWW_AUTHENTICATE, challenge)
    }

    /// Creates a 403: the caller is known, but not allowed to send the request.
    #[must_use]
    pub fn forbidden() -> Self {
        Self::new(StatusCode::FORBIDDEN)
    }

    /// Creates a 503: the caller can't be identified, because a service is unavailable. The client
    /// may try again after `retry_after`, which is rounded up to seconds.
    #[must_use]
    pub fn unavailable(retry_after: Duration) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE).until(retry_after)
    }

    /// Creates a 429: the caller has sent too many requests, and may try again after `retry_after`
    /// (RFC 6585, section 4).
    pub(crate) fn too_many(retry_after: Duration) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS).until(retry_after)
    }

    fn until(self, retry_after: Duration) -> Self {
        let seconds = retry_after.as_nanos().div_ceil(1_000_000_000);
        let seconds = u64::try_from(seconds).unwrap_or(u64::MAX).max(1);
        self.header(RETRY_AFTER, seconds.into())
    }

    /// Adds a header. Other headers with the same name are kept.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.append(name, value);
        self
    }

    /// Sets the message for the caller. The default is the name of the status.
    #[must_use]
    pub fn message(mut self, text: impl Into<String>) -> Self {
        self.message = text.into().into();
        self
    }

    /// Returns the status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// Converts the answer into a response with the message as its plain-text body, for services
    /// other than MCP.
    #[must_use]
    pub fn into_response(self) -> Response<String> {
        let mut response = Response::new(self.message.clone().into_owned());
        *response.status_mut() = self.status;
        let text = HeaderValue::from_static("text/plain; charset=utf-8");
        response.headers_mut().insert(CONTENT_TYPE, text);
        self.add_headers(&mut response);
        response
    }

    pub(crate) fn text(&self) -> Cow<'static, str> {
        self.message.clone()
    }

    pub(crate) fn add_headers<B>(self, response: &mut Response<B>) {
        response.headers_mut().extend(*self.headers);
    }
}

/// The reason why an HTTP request is refused before its message is read. The text is for the
/// client, and must not reveal internal details.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Rejection {
    #[error("this host is not allowed: add it to the `allowed_hosts` of the server")]
    Host,
    #[error("this origin is not allowed: add it to the `allowed_origins` of the server")]
    Origin,
    /// The access policy does not admit the request. The message of the policy is only for the
    /// caller.
    #[error("the access policy denies the request")]
    Denied(Box<AccessDenied>),
    #[error("checking the caller took too long; try again later")]
    PolicyTimeout,
    /// The access policy panicked.
    #[error("internal error")]
    Internal,
    #[error("too many requests are in flight already; try again later")]
    Busy,
    #[error("the header `Host` must occur exactly once")]
    HostHeader,
    #[error("`Host` differs from `:authority`")]
    Authority,
    /// The path is not served. The value is the path of MCP.
    #[error("there is nothing at this path: MCP is at `{0}`")]
    Path(String),
    /// The HTTP method is not allowed. The value is the `Allow` header.
    #[error("this method is not allowed")]
    Method(&'static str),
    #[error("`Accept` must allow application/json and text/event-stream")]
    Accept,
    #[error("`Content-Type` must be application/json")]
    ContentType,
    #[error("Invalid request: the message exceeds the limit of {}", size(*.0))]
    TooLarge(usize),
    #[error("the body took too long")]
    Timeout,
    #[error("the body is incomplete")]
    Body,
    #[error("`Mcp-Session-Id` is missing: send `initialize` first")]
    SessionMissing,
    /// The session is unknown, has ended, or belongs to another principal.
    #[error("there is no such session")]
    SessionUnknown,
    /// Sessions do not support the version in the header.
    #[error("`MCP-Protocol-Version` is not a version that is served")]
    Version,
    #[error("`Last-Event-ID` is not the id of an event of this stream")]
    EventId,
    #[error("too many sessions are open; try again later")]
    TooManySessions,
    /// The store of sessions or events, or the source of randomness, is not available.
    #[error("sessions are unavailable; try again later")]
    Unavailable,
    #[error("too many request bodies are being received; try again later")]
    TooManyBodies,
    #[error("too many answers wait to be read; read them first")]
    Unread,
    #[error("the server has not been started")]
    NotStarted,
    #[error("the server is shutting down")]
    Ending,
}

impl Rejection {
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

    /// Returns the JSON-RPC error. It is sent without an id, because the message was not read.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_that_is_not_an_error_is_replaced() {
        for (asked, status) in [(200, 403), (302, 403), (400, 400), (429, 429), (503, 503)] {
            let denied = AccessDenied::new(StatusCode::from_u16(asked).unwrap());
            assert_eq!(denied.status(), status);
        }
    }

    #[test]
    fn a_response_has_status_headers_and_text() {
        let challenge = HeaderValue::from_static("Bearer");
        let denied = AccessDenied::unauthorized(challenge).message("who calls?");
        let response = denied.into_response();
        assert_eq!(response.status(), 401);
        assert_eq!(response.headers()["www-authenticate"], "Bearer");
        assert_eq!(response.body(), "who calls?");
    }

    #[test]
    fn times_are_rounded_up_to_seconds() {
        for (time, seconds) in [
            (Duration::ZERO, "1"),
            (Duration::from_millis(1001), "2"),
            (Duration::from_secs(30), "30"),
        ] {
            let denied = AccessDenied::unavailable(time);
            assert_eq!(denied.headers[RETRY_AFTER], seconds);
        }
        assert_eq!(AccessDenied::unavailable(Duration::MAX).status(), 503);
    }
}
