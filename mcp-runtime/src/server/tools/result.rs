//! What a tool's function returns, as the result of the call.

use std::borrow::Cow;

use mcp_types::{CallToolResult, ContentBlock, ResourceLink};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::content::{Audio, Image, Json, text_block};
use super::error;
use super::structured;
use crate::ProtocolError;
use crate::server::handler::HandlerError;

/// A value that answers a call.
///
/// A function under `#[tool]` may also return any type of its own that implements `Serialize` and
/// `JsonSchema`, or a `Vec` of them: it is then returned as by [`Json`].
///
/// ```
/// use mcp_runtime::{IntoToolResult, Json};
///
/// let result = 5.into_tool_result().unwrap();
/// assert_eq!(result.content.len(), 1);
/// assert!(result.structured_content.is_none());
///
/// let result = Json(vec![1, 2]).into_tool_result().unwrap();
/// assert_eq!(result.structured_content.unwrap().get(), "[1,2]");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned from a tool",
    label = "needs `Serialize` and `JsonSchema`",
    note = "add `#[derive(Serialize, JsonSchema)]` to it, or to your type inside it",
    note = "or return text, content or a `CallToolResult`"
)]
pub trait IntoToolResult: Sized {
    /// The schema of the structured content, where there is any.
    #[must_use]
    fn output_schema() -> Option<Value> {
        None
    }

    /// Makes the result.
    ///
    /// # Errors
    ///
    /// With what the call is answered with instead of a result.
    fn into_tool_result(self) -> Result<CallToolResult, ProtocolError>;
}

impl IntoToolResult for CallToolResult {
    fn into_tool_result(self) -> Result<CallToolResult, ProtocolError> {
        Ok(self)
    }
}

impl IntoToolResult for () {
    fn into_tool_result(self) -> Result<CallToolResult, ProtocolError> {
        Ok(CallToolResult::new([]))
    }
}

impl IntoToolResult for Vec<ContentBlock> {
    fn into_tool_result(self) -> Result<CallToolResult, ProtocolError> {
        Ok(CallToolResult::new(self))
    }
}

/// A value that is one block of content.
macro_rules! blocks {
    ($($kind:ty),*) => {$(
        impl IntoToolResult for $kind {
            fn into_tool_result(self) -> Result<CallToolResult, ProtocolError> {
                Ok(CallToolResult::new([ContentBlock::from(self)]))
            }
        }
    )*};
}

blocks!(ContentBlock, ResourceLink, Image, Audio);

/// A value that is text.
macro_rules! text {
    ($($kind:ty),*) => {$(
        impl IntoToolResult for $kind {
            fn into_tool_result(self) -> Result<CallToolResult, ProtocolError> {
                Ok(CallToolResult::new([text_block(self)]))
            }
        }
    )*};
}

text!(String, &'static str, Box<str>, Cow<'static, str>);

/// A value that is printed.
macro_rules! printed {
    ($($kind:ty),*) => {$(
        impl IntoToolResult for $kind {
            fn into_tool_result(self) -> Result<CallToolResult, ProtocolError> {
                Ok(CallToolResult::new([text_block(self.to_string())]))
            }
        }
    )*};
}

printed!(
    bool, char, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32, f64
);

impl<T: IntoToolResult> IntoToolResult for Option<T> {
    fn into_tool_result(self) -> Result<CallToolResult, ProtocolError> {
        self.map_or_else(|| ().into_tool_result(), T::into_tool_result)
    }
}

impl<T: Serialize + JsonSchema> IntoToolResult for Json<T> {
    fn output_schema() -> Option<Value> {
        Some(structured::output_schema::<T>())
    }

    fn into_tool_result(self) -> Result<CallToolResult, ProtocolError> {
        structured::result(&self.0)
    }
}

impl<T: IntoToolResult, E: HandlerError> IntoToolResult for Result<T, E> {
    fn output_schema() -> Option<Value> {
        T::output_schema()
    }

    fn into_tool_result(self) -> Result<CallToolResult, ProtocolError> {
        self.map_or_else(error::answer, T::into_tool_result)
    }
}
