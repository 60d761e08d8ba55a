//! Values that a tool can return, and their conversion into results.

use std::borrow::Cow;
use std::fmt;

use mcp_types::{
    AudioContent, CallToolResult, ContentBlock, EmbeddedResource, ImageContent, RawJson,
    RawJsonRef, ResourceLink, ResultType, TextContent,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::structured;
use super::{Audio, Image, IntoContent, Structured};
use crate::ProtocolError;
use crate::error::with_causes;
use crate::server::handler::{
    CallRejection, CallResult, Convert, Json, conversions, downcast, known,
};
use crate::server::input::AskError;
use crate::server::{HandlerError, Reply};

/// A value that a tool can return.
///
/// Strings and content are sent as content. All other values are sent as structured content, with a
/// copy as text. A function with `#[tool]` can also return any type that implements `Serialize` and
/// `JsonSchema`, as if it were wrapped in [`Json`], and any [`IntoContent`].
///
/// ```
/// use mcp_runtime::{IntoToolResult, Json};
///
/// let result = "five".into_tool_result().unwrap();
/// assert!(result.structured_content.is_none());
///
/// let result = 5.into_tool_result().unwrap();
/// assert_eq!(result.content[0].as_text(), Some("5"));
/// assert_eq!(result.structured_content.unwrap().get(), "5");
///
/// let result = Json(vec![1, 2]).into_tool_result().unwrap();
/// assert_eq!(result.structured_content.unwrap().get(), "[1,2]");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned from a tool",
    label = "needs `Serialize` and `JsonSchema`",
    note = "add `#[derive(Serialize, JsonSchema)]` to it, or to your type inside it",
    note = "a type of another crate needs a feature of schemars, such as `chrono04`, `uuid1` or `url2`, and usually the `serde` feature of its crate",
    note = "or return a string, content or a `CallToolResult`; for content beside a value, return `Structured::new(value).with_content(image)`"
)]
pub trait IntoToolResult: Sized {
    /// Returns the schema of the structured content, if the result has any.
    #[must_use]
    fn output_schema() -> Option<Value> {
        None
    }

    /// Converts the value into a result.
    ///
    /// # Errors
    ///
    /// The JSON-RPC error that answers the call instead of a result.
    fn into_tool_result(self) -> Result<CallToolResult, ProtocolError>;

    /// Returns the conversion of an `Option<Self>`. `None` becomes `null` if `Self` is sent as
    /// JSON, and a result without content otherwise.
    #[doc(hidden)]
    #[must_use]
    fn optional() -> ToolOutput<Option<Self>> {
        ToolOutput {
            schema: || None,
            convert: |value| match value {
                Some(value) => value.into_tool_result(),
                None => ().into_tool_result(),
            },
        }
    }
}

conversions! {
    IntoToolResult::into_tool_result -> CallToolResult;
    result: CallToolResult => result;
    content: String, &'static str, Box<str>, Cow<'static, str>, char, ContentBlock, TextContent,
        Image, ImageContent, Audio, AudioContent, ResourceLink, EmbeddedResource =>
        CallToolResult::new(content.into_content());
}

// These two are not in the macro, because compiler errors about other tuples and vectors quote
// their `impl` lines.
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

impl<T: Serialize + JsonSchema> IntoToolResult for Json<T> {
    fn output_schema() -> Option<Value> {
        Some(structured::output_schema::<T>())
    }

    fn into_tool_result(self) -> Result<CallToolResult, ProtocolError> {
        structured::result(&self.0)
    }

    fn optional() -> ToolOutput<Option<Self>> {
        ToolOutput {
            schema: Json::<Option<T>>::output_schema,
            convert: |value| Json(value.map(|json| json.0)).into_tool_result(),
        }
    }
}

impl<T: Serialize + JsonSchema> IntoToolResult for Structured<T> {
    fn output_schema() -> Option<Value> {
        Json::<T>::output_schema()
    }

    fn into_tool_result(self) -> Result<CallToolResult, ProtocolError> {
        self.into_result()
    }

    fn optional() -> ToolOutput<Option<Self>> {
        ToolOutput {
            schema: Json::<Option<T>>::output_schema,
            convert: |value| match value {
                Some(value) => value.into_result(),
                None => Json(()).into_tool_result(),
            },
        }
    }
}

/// Implements `IntoToolResult` for scalars, which are sent as JSON.
macro_rules! scalars {
    ($($kind:ty)*) => {$(
        impl IntoToolResult for $kind {
            fn output_schema() -> Option<Value> {
                Json::<Self>::output_schema()
            }

            fn into_tool_result(self) -> Result<CallToolResult, ProtocolError> {
                Json(self).into_tool_result()
            }

            fn optional() -> ToolOutput<Option<Self>> {
                ToolOutput::json()
            }
        }
    )*};
}

scalars! { bool i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 }

impl<T: IntoToolResult> IntoToolResult for Option<T> {
    fn output_schema() -> Option<Value> {
        (T::optional().schema)()
    }

    fn into_tool_result(self) -> Result<CallToolResult, ProtocolError> {
        (T::optional().convert)(self)
    }
}

impl<T: IntoToolResult, E: HandlerError> IntoToolResult for Result<T, E> {
    fn output_schema() -> Option<Value> {
        T::output_schema()
    }

    fn into_tool_result(self) -> Result<CallToolResult, ProtocolError> {
        self.map_or_else(answer, T::into_tool_result)
    }
}

/// The conversion of values of one type into results.
pub struct ToolOutput<T> {
    pub(super) schema: fn() -> Option<Value>,
    pub(super) convert: Convert<T, CallToolResult>,
}

impl<T: Serialize + JsonSchema> ToolOutput<T> {
    /// Returns the conversion of a value that is sent as JSON.
    pub(super) fn json() -> Self {
        Self {
            schema: Json::<T>::output_schema,
            convert: |value| Json(value).into_tool_result(),
        }
    }
}

/// A failure of a tool that the calling model can read and act upon.
///
/// The call is answered with a result that has `isError`, not with a JSON-RPC error (2026-07-28,
/// "Tools", section Error Handling). Any type that implements `std::error::Error` converts into it
/// with `?`:
///
/// | error | in a function that returns `Result<_, ToolError>` |
/// |---|---|
/// | implements `std::error::Error` | `find()?` |
/// | a string | `find().map_err(ToolError::new)?` |
/// | `anyhow::Error`, others with `Display` | `find().map_err(\|error\| ToolError::new(error.to_string()))?` |
///
/// A function can also return the error itself, such as a `Result<_, String>` or an
/// `anyhow::Result<_>`: any type that implements `Display` can be the error of a handler.
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
#[doc(alias = "McpError")]
pub struct ToolError {
    message: String,
    content: Vec<ContentBlock>,
    /// The JSON-RPC error that answers the call if the client lacks a capability.
    error: Option<ProtocolError>,
}

impl ToolError {
    /// Creates a failure. `message` should tell the model what went wrong and what to do about it;
    /// it is sent unchanged.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            content: Vec::new(),
            error: None,
        }
    }

    /// Adds content after the message.
    #[must_use]
    pub fn with_content(mut self, content: impl IntoIterator<Item = ContentBlock>) -> Self {
        self.content.extend(content);
        self
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// An error that `?` converts into a [`ToolError`]: any [`Error`](std::error::Error).
#[diagnostic::on_unimplemented(
    message = "`?` can't make a `ToolError` of `{Self}`, which is not a `std::error::Error`",
    label = "not a `std::error::Error`: write `.map_err(ToolError::new)?` for a string and `.map_err(|error| ToolError::new(error.to_string()))?` for other types, or return the error itself"
)]
pub trait ToolErrorSource: std::error::Error + 'static {}

#[diagnostic::do_not_recommend]
impl<E: std::error::Error + 'static> ToolErrorSource for E {}

impl<E: ToolErrorSource> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self {
            error: downcast(&error).and_then(AskError::missing_capability),
            ..Self::new(with_causes(&error))
        }
    }
}

pub(super) fn answer<E: HandlerError>(error: E) -> Result<CallToolResult, ProtocolError> {
    if let Some(error) = known(&error) {
        return Err(error);
    }
    let Some(error) = downcast::<ToolError>(&error) else {
        return Ok(failure(format!("{error:#}")));
    };
    if let Some(error) = &error.error {
        return Err(error.clone());
    }
    let mut result = failure(error.message.clone());
    result.content.extend_from_slice(&error.content);
    Ok(result)
}

/// Returns a result with `isError` and an explanation.
pub(super) fn failure(text: String) -> CallToolResult {
    CallToolResult::new([ContentBlock::text(text)]).with_is_error(true)
}

impl CallResult for ToolOutcome {
    fn rejected(rejection: CallRejection) -> Result<Self, ProtocolError> {
        let result = match rejection {
            CallRejection::Arguments(text) => Ok(failure(text)),
            CallRejection::Unanswered(error) => answer(error),
            CallRejection::Protocol(error) => Err(error),
        };
        result.map(Self::Complete)
    }
}

/// The result of a tool, which may be defined by an extension.
#[expect(
    clippy::large_enum_variant,
    reason = "the large variant is the usual one"
)]
#[derive(Debug)]
pub enum ToolOutcome {
    /// A result of the protocol.
    Complete(CallToolResult),
    /// A result with the `resultType` of an extension, which is passed on unchanged.
    Other(RawJson),
}

impl ToolOutcome {
    /// Reads a result.
    ///
    /// # Errors
    ///
    /// When the result claims to be complete, but is not a valid result of a tool.
    pub(in crate::server) fn read(result: RawJson) -> serde_json::Result<Self> {
        let kind = result.as_raw().member("resultType");
        match kind.map(RawJsonRef::parse::<ResultType>) {
            None | Some(Ok(ResultType::Complete)) => result.parse().map(Self::Complete),
            Some(_) => Ok(Self::Other(result)),
        }
    }
}

impl From<CallToolResult> for ToolOutcome {
    fn from(result: CallToolResult) -> Self {
        Self::Complete(result)
    }
}

impl Reply<ToolOutcome> {
    /// Applies `change` to a complete result, and leaves other results unchanged.
    pub(in crate::server) fn then_complete(
        self,
        change: impl FnOnce(CallToolResult) -> Result<CallToolResult, ProtocolError> + Send + 'static,
    ) -> Self {
        self.then(|outcome| match outcome {
            ToolOutcome::Complete(result) => change(result).map(ToolOutcome::Complete),
            other @ ToolOutcome::Other(_) => Ok(other),
        })
    }
}
