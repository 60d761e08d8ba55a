//! The JSON-RPC 2.0 envelope: messages borrowed from the wire, and answers written to it.
//!
//! [`Frame::parse`] reads the bytes of one frame (a line, a WebSocket message, an HTTP body)
//! without copying: `params`, `result` and `error` stay raw until the method is known.
//! The [`mod@write`] functions append whole messages to a byte buffer and never emit a line break,
//! so what they write can be framed by newlines.

mod depth;
mod envelope;
mod error;
mod head;
mod members;
mod message;
mod parse;
mod prepared;
pub mod write;

pub use crate::error_object::{ErrorObject, code};
pub use crate::request_id::{ProgressToken, RequestId};
pub use error::InvalidMessage;
pub use head::Head;
pub use message::{Frame, Message, VERSION};
pub use parse::DEFAULT_MAX_DEPTH;
pub use prepared::PreparedResult;
