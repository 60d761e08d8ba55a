//! Errors: those that this crate's functions return, and every JSON-RPC error that it answers with.

mod call;
mod http;
mod request;

pub use self::call::{CallError, ChildExited, ProtocolError, ServeError, Unavailable};
pub(crate) use self::call::{ConnectionClosed, shared};
pub use self::http::HttpError;
pub(crate) use self::request::RequestError;
