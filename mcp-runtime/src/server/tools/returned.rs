//! How `#[tool]` chooses the way in which the value that a function returns becomes a result.

use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::Serialize;

use super::result::ToolOutput;
use super::{IntoContent, IntoToolResult};
use crate::server::HandlerError;
use crate::server::handler::Json;

/// Stands for the return type of a function, to choose the way in which it becomes a result.
///
/// A type that is a result by itself ([`IntoToolResult`]) comes before one that is merely JSON, and
/// JSON before content, as a tuple or list of text is both. Rust has no specialization, so macro
/// output calls `output` on `&&&&&Returned`, and method lookup takes the first of the traits below
/// that the type fits.
pub struct Returned<T>(PhantomData<fn() -> T>);

impl<T> Returned<T> {
    /// Stands for `T`.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "only macro output makes one")]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// First choice: types that are results by themselves.
pub trait OwnOutput<T> {
    /// The way into a result.
    fn output(&self) -> ToolOutput<T>;
}

impl<T: IntoToolResult> OwnOutput<T> for &&&&Returned<T> {
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

impl<T: Serialize + JsonSchema, E> FallibleJsonOutput<T, E> for &&&Returned<Result<T, E>> {
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

impl<T: Serialize + JsonSchema> JsonOutput<T> for &&Returned<T> {
    fn output(&self) -> ToolOutput<T> {
        ToolOutput::json()
    }
}

/// Fourth choice: content, or an error.
pub trait FallibleContentOutput<T, E> {
    /// The way into a result.
    fn output(&self) -> ToolOutput<Result<T, E>>
    where
        E: HandlerError;
}

impl<T: IntoContent, E> FallibleContentOutput<T, E> for &Returned<Result<T, E>> {
    fn output(&self) -> ToolOutput<Result<T, E>>
    where
        E: HandlerError,
    {
        ToolOutput {
            schema: || None,
            convert: |value| value.map(T::into_content).into_tool_result(),
        }
    }
}

/// Fourth choice as well, as no `Result` is content: content.
pub trait ContentOutput<T> {
    /// The way into a result.
    fn output(&self) -> ToolOutput<T>;
}

impl<T: IntoContent> ContentOutput<T> for &Returned<T> {
    fn output(&self) -> ToolOutput<T> {
        ToolOutput {
            schema: || None,
            convert: |value| value.into_content().into_tool_result(),
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
        OwnOutput::output(&&&&&Self::new())
    }
}
