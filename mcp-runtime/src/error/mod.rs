//! Errors: those that this crate's functions return, and every JSON-RPC error that it answers with.

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

/// State of a connection in its lifecycle.
///
/// A handshake-era connection passes through all of them in order; a stateless one is served
/// without leaving [`Uninitialized`](Self::Uninitialized) until it shuts down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LifecycleState {
    /// Nothing was agreed on. The handshake era allows only `initialize` and `ping`; a stateless
    /// request brings its own version and capabilities and is served.
    Uninitialized,
    /// `initialize` was sent or answered; only `ping`, and log messages from the server, may pass.
    Initializing,
    /// The `notifications/initialized` notification has passed.
    Initialized,
    /// Everything that was negotiated is allowed.
    Operating,
    /// No new calls; those in flight finish or are cancelled.
    ShuttingDown,
    /// Everything is released.
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

/// The causes of `error`, from the outermost to the root cause.
pub(crate) fn causes(
    error: &(impl Error + ?Sized),
) -> impl Iterator<Item = &(dyn Error + 'static)> {
    successors(error.source(), |cause| (*cause).source())
}

/// The text of `error`, and of those of its causes that add something.
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
