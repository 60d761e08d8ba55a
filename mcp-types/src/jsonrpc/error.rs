//! The error of a message that can't be served.

use std::fmt;

use super::{ErrorObject, RequestId, code};

/// A message that can't be served, with the error to answer it with.
#[derive(Clone, Debug, PartialEq)]
pub struct InvalidMessage {
    /// The id of the request, if it could be read.
    pub id: Option<RequestId>,
    /// True if the message has a `method`. A client treats a message without a method as a response.
    pub has_method: bool,
    /// The error, with the code [`code::PARSE_ERROR`] or [`code::INVALID_REQUEST`].
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
