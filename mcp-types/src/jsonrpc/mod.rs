//! The JSON-RPC 2.0 envelope: reads and writes whole messages.
//!
//! [`Frame::parse`] reads the bytes of one frame (a line, a WebSocket message, an HTTP body)
//! without copying: `params`, `result` and `error` are not decoded until the method is known.
//! The functions of [`mod@write`] append whole messages to a byte buffer. They never emit a line
//! break, so newlines can separate the messages.

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
