//! Errors: those that this crate's functions return, and every JSON-RPC error that it answers with.

#[cfg(feature = "http-server")]
mod access_denied;
mod call;
mod causes;
mod http;
mod lifecycle_state;
#[cfg(feature = "http-server")]
mod rejection;
mod request;

#[cfg(feature = "http-server")]
pub use self::access_denied::AccessDenied;
pub use self::call::{CallError, ChildExited, ProtocolError, ServeError, Unavailable};
pub(crate) use self::call::{ClosedByServer, ConnectionClosed, find, no_message, shared};
pub(crate) use self::causes::{causes, with_causes};
pub use self::http::HttpError;
#[cfg(feature = "http-client")]
pub(crate) use self::http::without_secrets;
pub use self::lifecycle_state::LifecycleState;
#[cfg(feature = "http-server")]
pub(crate) use self::rejection::Rejection;
pub(crate) use self::request::RequestError;
