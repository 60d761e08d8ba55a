//! Responses of the endpoints.

use axum::body::Body;
use axum::response::Response;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION};
use serde_json::{Value, json};

/// An OAuth error (RFC 6749 §5.2).
#[derive(Debug)]
pub(crate) struct OAuthError {
    status: u16,
    pub(crate) code: &'static str,
    pub(crate) description: String,
    pub(crate) nonce: Option<String>,
}

impl OAuthError {
    pub(crate) fn new(status: u16, code: &'static str, description: &str) -> Self {
        Self {
            status,
            code,
            description: description.to_owned(),
            nonce: None,
        }
    }

    pub(crate) fn grant(description: &str) -> Self {
        Self::new(400, "invalid_grant", description)
    }

    pub(crate) fn request(description: &str) -> Self {
        Self::new(400, "invalid_request", description)
    }
}

pub(crate) fn reply(result: Result<Value, OAuthError>) -> Response {
    match result {
        Ok(value) => json_response(200, &value),
        Err(error) => {
            let body = json!({"error": error.code, "error_description": error.description});
            let mut response = json_response(error.status, &body);
            if let Some(nonce) = error.nonce {
                response
                    .headers_mut()
                    .insert("dpop-nonce", nonce.parse().unwrap());
            }
            response
        }
    }
}

pub(crate) fn json_response(status: u16, value: &Value) -> Response {
    let mut response = text(status, &value.to_string());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, "application/json".parse().unwrap());
    headers.insert(CACHE_CONTROL, "no-store".parse().unwrap());
    response
}

pub(crate) fn text(status: u16, text: &str) -> Response {
    let response = Response::builder().status(status);
    response.body(Body::from(text.to_owned())).unwrap()
}

pub(crate) fn redirect(location: &str) -> Response {
    let mut response = text(302, "");
    let location = location.parse().expect("a location is a header's value");
    response.headers_mut().insert(LOCATION, location);
    response
}
