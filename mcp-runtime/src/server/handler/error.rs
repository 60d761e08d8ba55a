//! Errors that handlers return, and errors in the arguments of a call.

use std::any::Any;
use std::fmt;

use mcp_types::jsonrpc::code;

use crate::ProtocolError;
use crate::limits::{MAX_FAULT_BYTES, MAX_LISTED_FAULTS};
use crate::protocol::{locate, reason};
use crate::server::input::AskError;

/// An error that a handler can return. Implemented for every type that implements `Display`.
///
/// A [`ProtocolError`] is sent to the client unchanged. Any other error of a tool becomes the text of
/// a result with `isError`. Any other error of a prompt or resource becomes the message of an
/// internal error.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a handler",
    label = "needs `Display`",
    note = "implement `std::fmt::Display` for `{Self}`, or return `ToolError` or `ProtocolError`"
)]
pub trait HandlerError: fmt::Display + 'static {}

#[diagnostic::do_not_recommend]
impl<E: fmt::Display + 'static> HandlerError for E {}

/// Converts the error of a prompt, resource or completer into the error that the client gets.
pub(crate) fn to_protocol<E: HandlerError>(error: E) -> ProtocolError {
    known(&error).unwrap_or_else(|| ProtocolError::new(code::INTERNAL_ERROR, format!("{error:#}")))
}

/// Returns the error as a JSON-RPC error, if it is a [`ProtocolError`], or an [`AskError`] because the
/// client lacks a capability.
pub(crate) fn known<E: HandlerError>(error: &E) -> Option<ProtocolError> {
    let protocol = downcast::<ProtocolError>(error);
    let asked = || downcast::<AskError>(error)?.missing_capability();
    protocol.cloned().or_else(asked)
}

/// Returns the error as a `T`, if it has this type. Every type with `Display` can be an error, and
/// Rust has no specialization, so the type is checked at run time.
pub(crate) fn downcast<T: 'static>(error: &dyn Any) -> Option<&T> {
    error.downcast_ref()
}

/// An invalid value in the arguments of a call.
#[derive(Debug)]
pub struct ArgumentError {
    /// The path of the value, such as `items[0].count`. The path of the arguments as a whole is
    /// empty, and the paths of their members begin with a dot.
    pub(crate) path: String,
    pub(crate) message: String,
}

impl ArgumentError {
    /// Creates an error about the value at `path`. A long path or message is truncated.
    pub(crate) fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        let cut = |text: String| {
            if text.len() > MAX_FAULT_BYTES {
                let mut ends = (0..=MAX_FAULT_BYTES).rev();
                let end = ends.find(|at| text.is_char_boundary(*at));
                format!("{}…", &text[..end.unwrap_or(0)])
            } else {
                text
            }
        };
        Self {
            path: cut(path.into()),
            message: cut(message.into()),
        }
    }

    /// Converts an error of the JSON decoder. `path` is the path of `value`, and the path to the
    /// fault inside `value` is added to it.
    pub(crate) fn from_decoder(path: &str, value: &str, error: &serde_json::Error) -> Self {
        let mut path = path.to_owned();
        locate(value, error, &mut path);
        Self::new(path, reason(error))
    }

    /// Returns true if both errors are about the same value, or one is about a part of the other's
    /// value.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let one = &*self.path;
        let other = &*other.path;
        let rest = one.strip_prefix(other).or_else(|| other.strip_prefix(one));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    }
}

/// All errors in the arguments of a call. The message tells a model how to correct them.
#[derive(Debug, Default)]
pub struct InvalidArguments(pub(crate) Vec<ArgumentError>);

impl InvalidArguments {
    pub(crate) fn into_result(self) -> Result<(), Self> {
        if self.0.is_empty() { Ok(()) } else { Err(self) }
    }
}

impl fmt::Display for InvalidArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("The arguments are invalid:")?;
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
