//! From JSON-RPC errors to HTTP statuses.

use http::StatusCode;
use mcp_types::error_codes;
use mcp_types::jsonrpc::{ErrorObject, code};

use crate::error::RequestError;

/// The status of a request that its session does not serve. Otherwise the handshake era answers a
/// message that was understood with 200, whatever the outcome.
pub(in crate::transport::http) fn refused_session(error: &RequestError) -> StatusCode {
    match error {
        RequestError::Busy(_) => StatusCode::TOO_MANY_REQUESTS,
        RequestError::Ending(_) => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    }
}

/// The stateless era has a status for the errors of the protocol (2026-07-28, "Streamable HTTP").
pub(in crate::transport::http) fn stateless(error: Option<&ErrorObject>) -> StatusCode {
    match error.map(|error| error.code) {
        Some(
            code::PARSE_ERROR
            | code::INVALID_REQUEST
            | error_codes::HEADER_MISMATCH
            | error_codes::MISSING_REQUIRED_CLIENT_CAPABILITY
            | error_codes::UNSUPPORTED_PROTOCOL_VERSION,
        ) => StatusCode::BAD_REQUEST,
        Some(code::METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    }
}

/// The same for a stateless request whose own version was refused.
pub(in crate::transport::http) fn refused(error: Option<&ErrorObject>) -> StatusCode {
    match error.map(|error| error.code) {
        Some(code::INVALID_PARAMS) => StatusCode::BAD_REQUEST,
        _ => stateless(error),
    }
}
