//! The state of a connection, which errors name.

use std::fmt;

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
