//! The error member of a response, and the error of a message that can't be one.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::RequestId;
use crate::RawJson;

/// Error codes of JSON-RPC 2.0, section 5.1.
///
/// The Model Context Protocol adds codes of its own, which the generated model lists.
pub mod code {
    /// The message is not JSON.
    pub const PARSE_ERROR: i64 = -32700;
    /// The JSON is not a request that can be served.
    pub const INVALID_REQUEST: i64 = -32600;
    /// The method does not exist, or is not available here.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The parameters do not fit the method.
    pub const INVALID_PARAMS: i64 = -32602;
    /// The receiver failed.
    pub const INTERNAL_ERROR: i64 = -32603;
}

/// The `error` member of a response: JSON-RPC 2.0, section 5.1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorObject {
    /// Kind of the error; see [`code`].
    pub code: i64,
    /// One sentence for a person.
    pub message: Cow<'static, str>,
    /// Details, in a form that the code defines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<RawJson>,
}

impl ErrorObject {
    /// An error without details.
    pub fn new(code: i64, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// Adds details.
    #[must_use]
    pub fn with_data(mut self, data: impl Into<RawJson>) -> Self {
        self.data = Some(data.into());
        self
    }
}

impl fmt::Display for ErrorObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (code {})", self.message, self.code)
    }
}

impl std::error::Error for ErrorObject {}

/// A message that can't be served, with the error to answer it with.
#[derive(Clone, Debug, PartialEq)]
pub struct InvalidMessage {
    /// The id of the request, where it could be read.
    pub id: Option<RequestId>,
    /// Whether it has a `method`. A client takes a message without one for a response.
    pub has_method: bool,
    /// The fault; its code is [`code::PARSE_ERROR`] or [`code::INVALID_REQUEST`].
    pub error: ErrorObject,
}

impl InvalidMessage {
    pub(super) fn parse_error(reason: impl fmt::Display) -> Self {
        Self {
            id: None,
            has_method: false,
            error: ErrorObject::new(code::PARSE_ERROR, format!("Parse error: {reason}")),
        }
    }

    pub(super) fn invalid_request(id: Option<RequestId>, reason: impl fmt::Display) -> Self {
        let message = format!("Invalid request: {reason}");
        Self {
            id,
            has_method: false,
            error: ErrorObject::new(code::INVALID_REQUEST, message),
        }
    }
}

impl fmt::Display for InvalidMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for InvalidMessage {}
