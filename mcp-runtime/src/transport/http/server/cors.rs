//! What a browser wants to hear before a page of another origin may read an answer. Nothing is
//! said unless origins are configured.

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    HeaderMap, HeaderValue, ORIGIN, VARY,
};
use http::{Response, StatusCode};

use super::body::ResponseBody;
use super::guard::is_allowed_origin;
use super::options::HttpOptions;
use super::response;

/// The origin of the page that sent a request, if it may read the answer.
pub(in crate::transport::http) fn reader(
    headers: &HeaderMap,
    options: &HttpOptions,
) -> Option<HeaderValue> {
    if options.origins.is_empty() {
        return None;
    }
    let origin = headers.get(ORIGIN)?;
    is_allowed_origin(origin.to_str().ok()?, options).then(|| origin.clone())
}

/// Lets the page read an answer.
pub(in crate::transport::http) fn allow(
    response: &mut Response<ResponseBody>,
    reader: HeaderValue,
) {
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, reader);
    let exposed = HeaderValue::from_static("mcp-session-id");
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
    headers.append(VARY, HeaderValue::from_static("origin"));
}

/// Answers the question whether a page may send a request.
pub(in crate::transport::http) fn preflight(asked: &HeaderMap) -> Response<ResponseBody> {
    let mut response = response::empty(StatusCode::NO_CONTENT);
    let headers = response.headers_mut();
    let methods = HeaderValue::from_static("POST, GET, DELETE");
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, methods);
    // The names of `Mcp-Param-*` headers are the tools' to choose.
    if let Some(names) = asked.get(ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, names.clone());
    }
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    response
}
