//! Traits that only choose the compiler's words about a tool whose types do not fit.
//!
//! Each is implemented for all types that implement its supertrait, or the trait in the bound of its
//! `impl`. Without it, the compiler would name that trait, which says less to the author of a server.

use mcp_types::CallToolResult;
use schemars::JsonSchema;
use serde_json::Value;

use super::{Argument, IntoToolResult, ToolArgument, argument, structured};
use crate::server::HandlerError;

/// An argument whose type is called `Context`, most likely by mistake.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is taken by reference",
    label = "write `&Context`",
    note = "if it is a type of your own, add `#[derive(Deserialize, JsonSchema)]` to it"
)]
pub trait ArgumentCalledContext: ToolArgument {}

#[diagnostic::do_not_recommend]
impl<T: ToolArgument> ArgumentCalledContext for T {}

/// An argument called `name`.
#[must_use]
pub fn argument_called_context<T: ArgumentCalledContext>(name: &'static str) -> Argument<T> {
    argument(name)
}

/// An argument whose type is called `Json`, most likely the one for results.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is for results: arguments are read from JSON without it",
    label = "take the type in the angle brackets",
    note = "one struct with all arguments is `#[arg(flatten)] arguments: Arguments`"
)]
pub trait ArgumentCalledJson: ToolArgument {}

#[diagnostic::do_not_recommend]
impl<T: ToolArgument> ArgumentCalledJson for T {}

/// An argument called `name`.
#[must_use]
pub fn argument_called_json<T: ArgumentCalledJson>(name: &'static str) -> Argument<T> {
    argument(name)
}

/// An argument whose type shares its value, as the state of a server is shared by calls.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not sent by the caller",
    label = "parameters by value are what the caller sends",
    note = "what all calls share is a field of the server: `self.db`",
    note = "what comes from the call's context, such as the caller's identity, is taken by reference: `&User`"
)]
pub trait SharedArgument: ToolArgument {}

#[diagnostic::do_not_recommend]
impl<T: ToolArgument> SharedArgument for T {}

/// An argument called `name`.
#[must_use]
pub fn shared_argument<T: SharedArgument>(name: &'static str) -> Argument<T> {
    argument(name)
}

/// A value that the closure of [`ToolBuilder::call`](super::ToolBuilder::call) returns: any [`IntoToolResult`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned from the closure of a tool",
    label = "the closure returns no result of a tool",
    note = "an async closure is served by `call_async`",
    note = "return text, content, a `CallToolResult`, or what has `Serialize` and `JsonSchema` as `Json(value)`"
)]
pub trait ClosureResult: IntoToolResult {}

#[diagnostic::do_not_recommend]
impl<T: IntoToolResult> ClosureResult for T {}

/// A type whose schema a tool lists that returns whole results.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the output of a tool",
    label = "needs `JsonSchema`",
    note = "add `#[derive(JsonSchema)]` to it, or to your type inside it",
    note = "a type of another crate needs a feature of schemars, such as `chrono04`, `uuid1` or `url2`"
)]
pub trait OutputSchema {
    /// The schema.
    fn output_schema() -> Value;
}

#[diagnostic::do_not_recommend]
impl<T: JsonSchema> OutputSchema for T {
    fn output_schema() -> Value {
        structured::output_schema::<T>()
    }
}

/// A result that is made by the function itself.
#[diagnostic::on_unimplemented(
    message = "`output` names the schema of a `CallToolResult`, and this returns `{Self}`",
    label = "no `CallToolResult`",
    note = "remove `output`: the schema is that of the returned type",
    note = "or return a `CallToolResult`, or a `Result` of it"
)]
pub trait WholeResult: IntoToolResult {}

impl WholeResult for CallToolResult {}

#[diagnostic::do_not_recommend]
impl<E: HandlerError> WholeResult for Result<CallToolResult, E> {}
