//! The errors that this crate's functions return, and all JSON-RPC errors that it answers with.

#[cfg(feature = "http-server")]
mod access_denied;
mod call;
mod http;
mod request;

use std::error::Error;
use std::fmt;
use std::iter::successors;

#[cfg(feature = "http-server")]
pub use self::access_denied::AccessDenied;
#[cfg(feature = "http-server")]
pub(crate) use self::access_denied::Rejection;
pub use self::call::{CallError, ChildExited, ProtocolError, ServeError, Unavailable};
pub(crate) use self::call::{ClosedByServer, ConnectionClosed, find, no_message, shared};
pub use self::http::HttpError;
#[cfg(feature = "http-client")]
pub(crate) use self::http::without_secrets;
pub(crate) use self::request::RequestError;

/// The state of a connection in its lifecycle.
///
/// A connection in the handshake era passes through all states in order. A stateless connection
/// stays [`Uninitialized`](Self::Uninitialized) until it shuts down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LifecycleState {
    /// Nothing was negotiated. In the handshake era, only `initialize` and `ping` are allowed.
    /// Stateless requests carry their version and capabilities, and are served.
    Uninitialized,
    /// `initialize` was sent or answered. Only `ping`, and log messages from the server, are
    /// allowed.
    Initializing,
    /// `notifications/initialized` was sent.
    Initialized,
    /// Everything that was negotiated is allowed.
    Operating,
    /// New calls are refused. Calls in flight finish or are cancelled.
    ShuttingDown,
    /// The connection has ended, and its resources are released.
    Terminated,
}

impl fmt::Display for LifecycleState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Uninitialized => "uninitialized",
            Self::Initializing => "initializing",
            Self::Initialized => "initialized",
            Self::Operating => "operating",
            Self::ShuttingDown => "shutting down",
            Self::Terminated => "terminated",
        })
    }
}

/// Iterates over the causes of `error`, from the outermost to the root cause.
pub(crate) fn causes(
    error: &(impl Error + ?Sized),
) -> impl Iterator<Item = &(dyn Error + 'static)> {
    successors(error.source(), |cause| (*cause).source())
}

/// Returns the text of `error`, followed by the texts of its causes, except those that it already
/// contains.
pub(crate) fn with_causes(error: &(impl Error + ?Sized)) -> String {
    let mut text = error.to_string();
    for cause in causes(error) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text.extend([": ", &cause]);
        }
    }
    text
}
