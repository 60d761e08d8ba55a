//! What may be the error of a function that serves requests.

use std::any::Any;
use std::fmt;

use mcp_types::jsonrpc::code;

use crate::ProtocolError;
use crate::server::ask::AskError;

/// An error that a handler may return: anything that implements `Display`.
///
/// A [`ProtocolError`] is answered as it is. Every other one becomes, for a tool, the text of a
/// result with `isError`; for a prompt or resource, the message of an internal error.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a handler",
    label = "needs `Display`",
    note = "implement `std::fmt::Display` for `{Self}`, or return `ToolError` or `ProtocolError`"
)]
pub trait HandlerError: fmt::Display + 'static {}

#[diagnostic::do_not_recommend]
impl<E: fmt::Display + 'static> HandlerError for E {}

/// Takes `error` as an `E`, if that is what it is.
pub(crate) fn take<E: 'static>(error: &mut dyn Any) -> Option<E> {
    error.downcast_mut::<Option<E>>().and_then(Option::take)
}

/// The error to answer with, where there is no other way to say what went wrong.
pub(crate) fn to_protocol<E: HandlerError>(error: E) -> ProtocolError {
    if let Some(refusal) = AskError::refusal(&error) {
        return refusal;
    }
    let mut error = Some(error);
    match take::<ProtocolError>(&mut error) {
        Some(error) => error,
        None => ProtocolError::new(code::INTERNAL_ERROR, print(error)),
    }
}

/// The text of an error. The alternate form is the one in which errors that collect their causes
/// print all of them.
pub(crate) fn print<E: fmt::Display>(error: Option<E>) -> String {
    error.map(|error| format!("{error:#}")).unwrap_or_default()
}
