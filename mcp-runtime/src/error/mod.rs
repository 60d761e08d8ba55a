//! Errors: those that this crate's functions return, and every JSON-RPC error that it answers with.

mod call;
mod http;
#[cfg_attr(
    not(all(feature = "client", feature = "http-server")),
    allow(
        dead_code,
        reason = "clients refuse less than servers do, and streams less than HTTP"
    )
)]
mod request;

#[cfg(feature = "client")]
pub(crate) use self::call::ConnectionClosed;
pub(crate) use self::call::shared;
pub use self::call::{CallError, ChildExited, ProtocolError, ServeError, Unavailable};
pub use self::http::HttpError;
pub(crate) use self::request::RequestError;
