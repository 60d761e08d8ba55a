//! Arguments whose types have the name of something that is taken in another way.

use crate::server::tools::arguments::{Argument, ToolArgument, argument};

/// An argument whose type is called `Context`, most likely by mistake.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is taken by reference",
    label = "write `&Context`",
    note = "if it is a type of your own, add `#[derive(Deserialize, JsonSchema)]` to it"
)]
pub trait ArgumentCalledContext: ToolArgument {}

#[diagnostic::do_not_recommend]
impl<T: ToolArgument> ArgumentCalledContext for T {}

/// An argument called `name`, of the type `T`.
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

/// An argument called `name`, of the type `T`.
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

/// An argument called `name`, of the type `T`.
#[must_use]
pub fn shared_argument<T: SharedArgument>(name: &'static str) -> Argument<T> {
    argument(name)
}
