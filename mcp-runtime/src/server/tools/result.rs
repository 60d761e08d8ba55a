//! Conversion of returned values into results of tools.

use std::borrow::Cow;
use std::marker::PhantomData;

use mcp_types::{CallToolResult, ContentBlock, ResourceLink};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::content::{Audio, Image, Json};
use super::error;
use super::structured;
use crate::ProtocolError;
use crate::server::handler::HandlerError;
use crate::server::handler::run::Convert;

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
    /// With the JSON-RPC error that is answered instead of a result.
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

/// Values that become one block of content by `$block`.
macro_rules! one_block {
    ($block:expr => $($kind:ty),*) => {$(
        impl IntoToolResult for $kind {
            fn into_tool_result(self) -> Result<CallToolResult, ProtocolError> {
                Ok(CallToolResult::new([$block(self)]))
            }
        }
    )*};
}

one_block!(ContentBlock::from => ContentBlock, ResourceLink, Image, Audio);
one_block!(ContentBlock::text => String, &'static str, Box<str>, Cow<'static, str>);
one_block!(
    |value: Self| ContentBlock::text(value.to_string()) =>
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

/// Stands for the return type of a function, to choose the way in which it becomes a result.
///
/// A type that is a result by itself ([`IntoToolResult`]) comes before one that is merely JSON. Rust
/// has no specialization, so macro output calls `output` on `&&&&Returned`, and method lookup takes the
/// first of the traits below that the type fits.
pub struct Returned<T>(PhantomData<fn() -> T>);

impl<T> Returned<T> {
    /// Stands for `T`.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "only macro output makes one")]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// The way in which values of one type become results.
pub struct ToolOutput<T> {
    pub(super) schema: fn() -> Option<Value>,
    pub(super) convert: Convert<T, CallToolResult>,
}

/// First choice: types that are results by themselves.
pub trait OwnOutput<T> {
    /// The way into a result.
    fn output(&self) -> ToolOutput<T>;
}

impl<T: IntoToolResult> OwnOutput<T> for &&&Returned<T> {
    fn output(&self) -> ToolOutput<T> {
        ToolOutput {
            schema: T::output_schema,
            convert: T::into_tool_result,
        }
    }
}

/// Second choice: JSON, or an error.
pub trait FallibleJsonOutput<T, E> {
    /// The way into a result.
    fn output(&self) -> ToolOutput<Result<T, E>>
    where
        E: HandlerError;
}

impl<T: Serialize + JsonSchema, E> FallibleJsonOutput<T, E> for &&Returned<Result<T, E>> {
    fn output(&self) -> ToolOutput<Result<T, E>>
    where
        E: HandlerError,
    {
        ToolOutput {
            schema: Json::<T>::output_schema,
            convert: |value| value.map(Json).into_tool_result(),
        }
    }
}

/// Third choice: JSON.
pub trait JsonOutput<T> {
    /// The way into a result.
    fn output(&self) -> ToolOutput<T>;
}

impl<T: Serialize + JsonSchema> JsonOutput<T> for &Returned<T> {
    fn output(&self) -> ToolOutput<T> {
        ToolOutput {
            schema: Json::<T>::output_schema,
            convert: |value| Json(value).into_tool_result(),
        }
    }
}

/// No choice, for the error of the compiler.
pub trait NoOutput<T> {
    /// Does not apply to any type.
    fn output(&self) -> ToolOutput<T>
    where
        T: IntoToolResult;
}

impl<T> NoOutput<T> for Returned<T> {
    fn output(&self) -> ToolOutput<T>
    where
        T: IntoToolResult,
    {
        OwnOutput::output(&&&&Self::new())
    }
}
