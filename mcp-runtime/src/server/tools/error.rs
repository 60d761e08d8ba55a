//! Failures of tools.

use std::fmt;

use mcp_types::{CallToolResult, ContentBlock};

use crate::ProtocolError;
use crate::server::handler::error::{HandlerError, downcast, known, print};
use crate::server::input::AskError;

/// A failure that the model that called the tool gets to read, and may act upon.
///
/// It is answered as a result with `isError`, not as a JSON-RPC error (specification, "Tools",
/// section "Error Handling"). Any error converts into it with `?`.
///
/// ```
/// use mcp_runtime::ToolError;
///
/// fn half(text: &str) -> Result<i64, ToolError> {
///     let number: i64 = text.parse()?;
///     if number % 2 == 1 {
///         return Err(ToolError::new(format!("{number} is odd")));
///     }
///     Ok(number / 2)
/// }
///
/// assert_eq!(half("7").unwrap_err().to_string(), "7 is odd");
/// assert_eq!(half("x").unwrap_err().to_string(), "invalid digit found in string");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ToolError {
    message: String,
    content: Vec<ContentBlock>,
    /// The answer in place of a result, where the client lacks a capability.
    error: Option<ProtocolError>,
}

impl ToolError {
    /// A failure with an explanation: what went wrong, and what the model could do about it. It is sent
    /// as it is.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            content: Vec::new(),
            error: None,
        }
    }

    /// Adds content that stands after the explanation.
    #[must_use]
    pub fn with_content(mut self, content: impl IntoIterator<Item = ContentBlock>) -> Self {
        self.content.extend(content);
        self
    }

    fn into_answer(self) -> Result<CallToolResult, ProtocolError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let mut result = failure(self.message);
        result.content.extend(self.content);
        Ok(result)
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl<E: std::error::Error + 'static> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self {
            error: downcast(&error).and_then(AskError::missing_capability),
            ..Self::new(chain(&error))
        }
    }
}

/// The error and its causes, each of which adds something.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let message = error.to_string();
        if !text.contains(&message) {
            text.push_str(": ");
            text.push_str(&message);
        }
        cause = error.source();
    }
    text
}

/// The answer to a call that ended with `error`.
pub(super) fn answer<E: HandlerError>(error: E) -> Result<CallToolResult, ProtocolError> {
    if let Some(error) = known(&error) {
        return Err(error);
    }
    match downcast::<ToolError>(&error) {
        Some(error) => error.clone().into_answer(),
        None => Ok(failure(print(&error))),
    }
}

/// A result with `isError` and an explanation.
pub(super) fn failure(text: String) -> CallToolResult {
    CallToolResult::new([ContentBlock::text(text)]).with_is_error(true)
}
