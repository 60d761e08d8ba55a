//! The error member of a response.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::RawJson;
use crate::number::integer;
use crate::raw;

/// Error codes of JSON-RPC 2.0, section 5.1.
///
/// The Model Context Protocol adds more codes, which the generated model lists.
pub mod code {
    /// The message is not JSON.
    pub const PARSE_ERROR: i64 = -32700;
    /// The JSON is not a valid request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// The method does not exist, or is not available here.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The parameters do not fit the method.
    pub const INVALID_PARAMS: i64 = -32602;
    /// An internal error of the receiver.
    pub const INTERNAL_ERROR: i64 = -32603;
}

/// The `error` member of a response (JSON-RPC 2.0, section 5.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorObject {
    /// Error code; see [`code`].
    #[serde(with = "integer")]
    pub code: i64,
    /// Description of the error in one sentence.
    pub message: Cow<'static, str>,
    /// Details, in a format that depends on the code.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "raw::some"
    )]
    pub data: Option<RawJson>,
}

impl ErrorObject {
    /// Creates an error without details.
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
