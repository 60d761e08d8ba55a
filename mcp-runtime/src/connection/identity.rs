//! What a transport knows about a client.

use std::any::Any;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::Extensions;
use mcp_types::ErrorObject;

use crate::error::RequestError;

/// What the transport of a request knows about the client that sent it. Over HTTP it is the HTTP request
/// itself, over WebSocket the one that opened the connection; on any other stream, the values that the
/// program has set.
pub(crate) trait ClientIdentity: Any + Send + Sync {
    /// Values that identify the client, one of each type.
    fn extensions(&self) -> &Extensions;

    /// The part of the identity that outlives the request.
    fn lasting(self: Arc<Self>) -> Arc<dyn ClientIdentity>;

    /// The address of a client that has neither a connection nor a session of its own.
    fn address(&self) -> Option<SocketAddr> {
        None
    }

    /// Checks that the client has all scopes that are `needed`. Without HTTP there are no tokens, so
    /// nothing is checked.
    ///
    /// # Errors
    ///
    /// When the client does not have them. An HTTP request of its own is answered with what the check
    /// returned.
    fn check_scopes(&self, _needed: &[&str]) -> Result<(), RequestError> {
        Ok(())
    }

    /// Returns true if the client has all scopes that are `needed`.
    fn has_scopes(&self, _needed: &[&str]) -> bool {
        true
    }

    /// Answers an HTTP request of its own with 429: it may be repeated after a time. `error` is its
    /// outcome.
    fn deny_until(&self, _time: Duration, _error: &ErrorObject) {}

    /// Clears the recorded denial unless the request really ended with `error`.
    fn settle_denied(&self, _error: Option<&ErrorObject>) {}
}

/// Values that the program has set.
impl ClientIdentity for Extensions {
    fn extensions(&self) -> &Extensions {
        self
    }

    fn lasting(self: Arc<Self>) -> Arc<dyn ClientIdentity> {
        self
    }
}
