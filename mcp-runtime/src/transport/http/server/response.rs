//! Answers, as HTTP has them.

use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use http::{Response, StatusCode};

use super::body::ResponseBody;
use crate::transport::http::event_stream::EventStream;
use crate::transport::http::headers;

/// A JSON-RPC message.
pub(in crate::transport::http) fn json(
    status: StatusCode,
    message: Vec<u8>,
) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::full(message.into()));
    *response.status_mut() = status;
    let json = HeaderValue::from_static(headers::JSON);
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

/// A stream of events.
pub(in crate::transport::http) fn events(events: EventStream) -> Response<ResponseBody> {
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
pub(in crate::transport::http) fn empty(status: StatusCode) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::empty());
    *response.status_mut() = status;
    response
}
