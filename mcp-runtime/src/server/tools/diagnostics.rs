//! Traits that exist only for the compiler's errors about a tool with unsuitable types.
//!
//! Each trait is implemented for all types with its supertrait or the trait in the bound of its
//! `impl`. Without these traits, the compiler would report the missing supertrait, which is less
//! helpful to the author of a server.

use mcp_types::CallToolResult;
use schemars::JsonSchema;
use serde_json::Value;

use super::{Argument, IntoToolResult, ToolArgument, argument, structured};
use crate::server::HandlerError;

/// The type of an argument that is called `Context` and taken by value, most likely by mistake.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is taken by reference",
    label = "write `&Context`",
    note = "if it is a type of your own, add `#[derive(Deserialize, JsonSchema)]` to it"
)]
pub trait ArgumentCalledContext: ToolArgument {}

#[diagnostic::do_not_recommend]
impl<T: ToolArgument> ArgumentCalledContext for T {}

/// Describes an argument called `name`.
#[must_use]
pub fn argument_called_context<T: ArgumentCalledContext>(name: &'static str) -> Argument<T> {
    argument(name)
}

/// The type of an argument that is called `Json`, which is most likely the wrapper for results.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is for results: arguments are read from JSON without it",
    label = "take the type in the angle brackets",
    note = "to take all arguments as one struct, write `#[arg(flatten)] arguments: Arguments`"
)]
pub trait ArgumentCalledJson: ToolArgument {}

#[diagnostic::do_not_recommend]
impl<T: ToolArgument> ArgumentCalledJson for T {}

/// Describes an argument called `name`.
#[must_use]
pub fn argument_called_json<T: ArgumentCalledJson>(name: &'static str) -> Argument<T> {
    argument(name)
}

/// The type of an argument that is a shared pointer, most likely to the state of the server.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not sent by the caller",
    label = "the caller sends all parameters by value",
    note = "make values that all calls share fields of the server: `self.db`",
    note = "take values from the context of the call, such as the caller's identity, by reference: `&User`"
)]
pub trait SharedArgument: ToolArgument {}

#[diagnostic::do_not_recommend]
impl<T: ToolArgument> SharedArgument for T {}

/// Describes an argument called `name`.
#[must_use]
pub fn shared_argument<T: SharedArgument>(name: &'static str) -> Argument<T> {
    argument(name)
}

/// A value that the closure of [`ToolBuilder::call`](super::ToolBuilder::call) can return: any
/// [`IntoToolResult`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned from the closure of a tool",
    label = "the closure does not return the result of a tool",
    note = "use `call_async` for an async closure",
    note = "return text, content, a `CallToolResult`, or `Json(value)` with a value that implements `Serialize` and `JsonSchema`"
)]
pub trait ClosureResult: IntoToolResult {}

#[diagnostic::do_not_recommend]
impl<T: IntoToolResult> ClosureResult for T {}

/// The type of the structured content of a tool that returns whole results.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the output of a tool",
    label = "needs `JsonSchema`",
    note = "add `#[derive(JsonSchema)]` to it, or to your type inside it",
    note = "a type of another crate needs a feature of schemars, such as `chrono04`, `uuid1` or `url2`"
)]
pub trait OutputSchema {
    /// Returns the output schema.
    fn output_schema() -> Value;
}

#[diagnostic::do_not_recommend]
impl<T: JsonSchema> OutputSchema for T {
    fn output_schema() -> Value {
        structured::output_schema::<T>()
    }
}

/// A whole result, which a function with `output` must return.
#[diagnostic::on_unimplemented(
    message = "`output` names the schema of a `CallToolResult`, but this returns `{Self}`",
    label = "not a `CallToolResult`",
    note = "remove `output`, since the returned type already has a schema",
    note = "or return a `CallToolResult`, or a `Result` with one"
)]
pub trait WholeResult: IntoToolResult {}

impl WholeResult for CallToolResult {}

#[diagnostic::do_not_recommend]
impl<E: HandlerError> WholeResult for Result<CallToolResult, E> {}
