//! Which way a return type becomes a result, decided by the compiler where the type is known.
//!
//! A type that answers by itself ([`IntoToolResult`]) wins over one that is merely JSON. Rust has
//! no specialisation, so macro output calls `form` on a reference to a reference to [`Returned`],
//! and method lookup takes the first of the traits below that fits.

use std::marker::PhantomData;

use mcp_types::CallToolResult;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::ToolSpec;
use super::error;
use super::result::IntoToolResult;
use super::structured;
use crate::ProtocolError;
use crate::server::handler::HandlerError;
use crate::server::handler::run::Return;

/// How a return type becomes the result of a tool, and what is said of it.
pub struct Returning<T> {
    /// Declares the schema of the structured content, where there is any.
    pub(super) declare: fn(&mut ToolSpec),
    pub(super) form: Return<T, CallToolResult>,
}

/// A way of turning values of one type into results.
pub trait Form {
    /// The type of the values.
    type Value;

    /// The schema of the structured content, where there is any.
    fn output_schema() -> Option<Value>;

    /// The result with `value`.
    ///
    /// # Errors
    ///
    /// With what the call is answered with instead.
    fn answer(value: Self::Value) -> Result<CallToolResult, ProtocolError>;
}

/// The return type of a function.
pub struct Returned<T>(PhantomData<fn() -> T>);

impl<T> Returned<T> {
    /// Stands for `T`.
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T> Default for Returned<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, E> Returned<Result<T, E>> {
    /// The type of a value where all goes well.
    #[must_use]
    pub const fn success(&self) -> Returned<T> {
        Returned::new()
    }

    /// How the whole type becomes a result, from how its success does.
    pub fn of<F: Form<Value = T>>(&self, _: F) -> Returning<Result<T, E>>
    where
        E: HandlerError,
    {
        Returning {
            declare: |spec| spec.returns_schema(F::output_schema()),
            form: Return {
                answer: |value| value.map_or_else(error::answer, F::answer),
            },
        }
    }
}

/// What every type has that is no `Result`.
pub trait Plain<T> {
    /// The type itself.
    fn success(&self) -> Returned<T>;

    /// How the type becomes a result.
    fn of<F: Form<Value = T>>(&self, form: F) -> Returning<T>;
}

impl<T> Plain<T> for Returned<T> {
    fn success(&self) -> Returned<T> {
        Self::new()
    }

    fn of<F: Form<Value = T>>(&self, _: F) -> Returning<T> {
        Returning {
            declare: |spec| spec.returns_schema(F::output_schema()),
            form: Return { answer: F::answer },
        }
    }
}

/// The form of types that answer by themselves.
pub struct Own<T>(PhantomData<fn() -> T>);

/// The form of types that are written as JSON.
pub struct Structured<T>(PhantomData<fn() -> T>);

/// The form of types that have none; it is never used.
pub struct Missing<T>(PhantomData<fn() -> T>);

/// First choice.
pub trait OwnForm<T> {
    /// The form.
    fn form(&self) -> Own<T>;
}

impl<T: IntoToolResult> OwnForm<T> for &&Returned<T> {
    fn form(&self) -> Own<T> {
        Own(PhantomData)
    }
}

/// Second choice.
pub trait StructuredForm<T> {
    /// The form.
    fn form(&self) -> Structured<T>;
}

impl<T: Serialize + JsonSchema> StructuredForm<T> for &Returned<T> {
    fn form(&self) -> Structured<T> {
        Structured(PhantomData)
    }
}

/// No choice: it exists to say what is missing.
pub trait NoForm<T> {
    /// Nothing, and the compiler says why.
    fn form(&self) -> Missing<T>
    where
        T: IntoToolResult;
}

impl<T> NoForm<T> for Returned<T> {
    fn form(&self) -> Missing<T>
    where
        T: IntoToolResult,
    {
        Missing(PhantomData)
    }
}

impl<T: IntoToolResult> Form for Own<T> {
    type Value = T;

    fn output_schema() -> Option<Value> {
        T::output_schema()
    }

    fn answer(value: T) -> Result<CallToolResult, ProtocolError> {
        value.into_tool_result()
    }
}

impl<T: Serialize + JsonSchema> Form for Structured<T> {
    type Value = T;

    fn output_schema() -> Option<Value> {
        Some(structured::output_schema::<T>())
    }

    fn answer(value: T) -> Result<CallToolResult, ProtocolError> {
        structured::result(&value)
    }
}

impl<T> Form for Missing<T> {
    type Value = T;

    fn output_schema() -> Option<Value> {
        None
    }

    fn answer(_: T) -> Result<CallToolResult, ProtocolError> {
        Ok(CallToolResult::new([]))
    }
}
