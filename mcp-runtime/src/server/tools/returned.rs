//! Lets `#[tool]` choose how the value that a function returns is converted into a result.

use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::Serialize;

use super::result::ToolOutput;
use super::{IntoContent, IntoToolResult};
use crate::server::HandlerError;
use crate::server::handler::Json;

/// A stand-in for the return type of a function, to choose its conversion into a result.
///
/// A type that implements [`IntoToolResult`] is converted by that trait. Otherwise, JSON takes
/// precedence over content, since a tuple or list of strings could be either. Stable Rust has no
/// specialization, so macro output calls `output` on `&&&&&Returned`, and method lookup takes the
/// first of the traits below that is implemented for the type (autoref specialization).
pub struct Returned<T>(PhantomData<fn() -> T>);

impl<T> Returned<T> {
    /// Creates a stand-in for `T`.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "only macro output makes one")]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// First choice: types that implement [`IntoToolResult`].
pub trait OwnOutput<T> {
    /// Returns the conversion into a result.
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

/// Second choice: a `Result` with a value that is sent as JSON.
pub trait FallibleJsonOutput<T, E> {
    /// Returns the conversion into a result.
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

/// Third choice: a value that is sent as JSON.
pub trait JsonOutput<T> {
    /// Returns the conversion into a result.
    fn output(&self) -> ToolOutput<T>;
}

impl<T: Serialize + JsonSchema> JsonOutput<T> for &&Returned<T> {
    fn output(&self) -> ToolOutput<T> {
        ToolOutput::json()
    }
}

/// Fourth choice: a `Result` with content.
pub trait FallibleContentOutput<T, E> {
    /// Returns the conversion into a result.
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

/// Also the fourth choice: content. There is no ambiguity, because a `Result` is not content.
pub trait ContentOutput<T> {
    /// Returns the conversion into a result.
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

/// Last choice: all other types. The bound makes the compiler report that [`IntoToolResult`] is
/// missing.
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
