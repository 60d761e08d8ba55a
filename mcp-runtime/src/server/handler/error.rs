//! Errors of handlers, and of the arguments that never reach one.

use std::any::Any;
use std::fmt;

use mcp_types::jsonrpc::code;

use crate::ProtocolError;
use crate::limits::{MAX_FAULT_BYTES, MAX_LISTED_FAULTS};
use crate::protocol::{locate, reason};
use crate::server::input::AskError;

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

/// The error of a prompt, resource or completer, as it is answered.
pub(crate) fn to_protocol<E: HandlerError>(error: E) -> ProtocolError {
    known(&error).unwrap_or_else(|| ProtocolError::new(code::INTERNAL_ERROR, format!("{error:#}")))
}

/// The JSON-RPC error that a handler returned, or that of a capability which the client lacks.
pub(crate) fn known<E: HandlerError>(error: &E) -> Option<ProtocolError> {
    let protocol = downcast::<ProtocolError>(error);
    let asked = || downcast::<AskError>(error)?.missing_capability();
    protocol.cloned().or_else(asked)
}

/// The error as a `T`, if that is its type: every type with `Display` may be an error, and Rust has
/// no specialization.
pub(crate) fn downcast<T: 'static>(error: &dyn Any) -> Option<&T> {
    error.downcast_ref()
}

/// One value among the arguments that is not valid.
#[derive(Debug)]
pub struct ArgumentError {
    /// The argument and the way into it, such as `items[0].count`. Empty for the arguments as a
    /// whole, whose members begin with a dot.
    pub(crate) path: String,
    pub(crate) message: String,
}

impl ArgumentError {
    /// An error of the value at `path`; a long path or message is cut.
    pub(crate) fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        let cut = |text: String| {
            if text.len() > MAX_FAULT_BYTES {
                format!("{}…", &text[..text.floor_char_boundary(MAX_FAULT_BYTES)])
            } else {
                text
            }
        };
        Self {
            path: cut(path.into()),
            message: cut(message.into()),
        }
    }

    /// The error of a decoder, at its place inside `value`, which stands at `path`.
    pub(crate) fn from_decoder(path: &str, value: &str, error: &serde_json::Error) -> Self {
        let mut path = path.to_owned();
        locate(value, error, &mut path);
        Self::new(path, reason(error))
    }

    /// Returns true if both are errors of one value, or of a value and something inside it.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let one = &*self.path;
        let other = &*other.path;
        let rest = one.strip_prefix(other).or_else(|| other.strip_prefix(one));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    }
}

/// All errors in the arguments of one call, in words that a model can act upon.
#[derive(Debug, Default)]
pub struct InvalidArguments(pub(crate) Vec<ArgumentError>);

impl InvalidArguments {
    pub(crate) fn into_result(self) -> Result<(), Self> {
        if self.0.is_empty() { Ok(()) } else { Err(self) }
    }
}

impl fmt::Display for InvalidArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("The arguments do not fit:")?;
        for ArgumentError { path, message } in self.0.iter().take(MAX_LISTED_FAULTS) {
            let path = match path.as_str() {
                "" => "arguments",
                path => path.strip_prefix('.').unwrap_or(path),
            };
            write!(f, "\n- `{path}`: {message}")?;
        }
        match self.0.len().saturating_sub(MAX_LISTED_FAULTS) {
            0 => Ok(()),
            more => write!(f, "\n- and {more} more"),
        }
    }
}
