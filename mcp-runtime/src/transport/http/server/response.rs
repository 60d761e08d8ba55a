//! HTTP responses: messages, streams of events, refusals, and the status of JSON-RPC errors.

use http::header::{
    ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue, RETRY_AFTER,
};
use http::{Response, StatusCode};
use mcp_types::error_codes;
use mcp_types::jsonrpc::write::{self, ErrorId};
use mcp_types::jsonrpc::{ErrorObject, code};

use super::body::ResponseBody;
use crate::error::{AccessDenied, Rejection, RequestError};
use crate::transport::http::exchange::event_stream::EventStream;
use crate::transport::http::headers;

pub(crate) fn json(status: StatusCode, message: Vec<u8>) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::full(message.into()));
    *response.status_mut() = status;
    let json = HeaderValue::from_static(headers::JSON);
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

/// Returns the response to a HEAD request for JSON of this length.
pub(crate) fn head(status: StatusCode, length: usize) -> Response<ResponseBody> {
    let mut response = json(status, Vec::new());
    *response.body_mut() = ResponseBody::empty();
    response.headers_mut().insert(CONTENT_LENGTH, length.into());
    response
}

pub(crate) fn events(events: EventStream) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::events(events));
    let headers = response.headers_mut();
    let kind = HeaderValue::from_static(headers::EVENT_STREAM);
    headers.insert(CONTENT_TYPE, kind);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // Makes nginx and similar proxies pass on events without buffering.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

pub(crate) fn empty(status: StatusCode) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::empty());
    *response.status_mut() = status;
    response
}

/// Returns the status of a request that its session refuses. All other valid requests of the
/// handshake era are answered with 200, even if the answer is an error.
pub(crate) fn refused_session(error: &RequestError) -> StatusCode {
    match error {
        RequestError::Busy(_) => StatusCode::TOO_MANY_REQUESTS,
        RequestError::Ending(_) => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    }
}

/// Returns the HTTP status of a stateless request, which depends on the error (2026-07-28,
/// "Streamable HTTP"). Invalid parameters are 400 only before the request is `admitted`.
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

impl AccessDenied {
    /// Returns the response whose body is the error `message`.
    pub(crate) fn response(&self, message: Vec<u8>) -> Response<ResponseBody> {
        let mut response = json(self.status(), message);
        self.clone().add_headers(&mut response);
        response
    }
}

impl Rejection {
    /// Returns the response, whose body is a JSON-RPC error.
    pub(crate) fn response(self) -> Response<ResponseBody> {
        tracing::debug!(reason = %self, "a request was rejected");
        let status = self.status();
        let mut out = Vec::new();
        write::error(&mut out, ErrorId::Absent, &self.to_error());
        let mut response = json(status, out);
        let headers = response.headers_mut();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        match self {
            Self::Denied(denied) => denied.add_headers(&mut response),
            Self::Method(allowed) => {
                headers.insert(ALLOW, HeaderValue::from_static(allowed));
            }
            // The rest of the body is not read, so the connection can't be used again.
            Self::Timeout | Self::TooLarge(_) | Self::TooManyBodies => {
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
            }
            _ => {}
        }
        response
    }
}
