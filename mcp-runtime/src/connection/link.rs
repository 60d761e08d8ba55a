//! Ways to a peer.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use super::{BoxFuture, Closed, Command};
use crate::error::CallError;
use crate::error::RequestError;
use crate::protocol::{ParamHeader, StrictJson};

/// Takes what is to be sent on its way.
pub(crate) trait Link: Any + Send + Sync {
    /// Passes on a command at once.
    ///
    /// # Errors
    ///
    /// When the connection is over, can't carry such a thing, or has no room for it.
    fn send(&self, command: Command) -> Result<(), Unsent>;

    /// Passes on a command once there is room for it.
    ///
    /// Its future fails when the connection is over.
    fn send_later(&self, command: Command) -> BoxFuture<Result<(), Closed>>;

    /// An id for a request, never used before on this connection.
    fn next_id(&self) -> i64;

    /// Who the peer is, by a name that an authenticating layer has vouched for.
    fn principal(&self) -> Option<&str> {
        None
    }

    /// Checks that the headers of the request at hand, if it came with some, repeat its arguments.
    ///
    /// # Errors
    ///
    /// With the header that is missing, unreadable, or different from the argument.
    fn check_headers(&self, _: &[ParamHeader], _: &StrictJson<'_>) -> Result<(), RequestError> {
        Ok(())
    }

    /// Where what is known of the peer's origin is kept, if anything is known but by the link.
    fn origin(&self) -> Option<&Origin> {
        None
    }
}

/// What is known of where a peer comes from: of a type that depends on who has found it out.
pub(crate) type Origin = OnceLock<Arc<dyn Any + Send + Sync>>;

/// Why a command was not passed on.
#[derive(Debug)]
pub(crate) enum Unsent {
    /// The connection is over, or can't carry such a thing.
    Closed,
    /// What was sent before has to be read first.
    Full(Command),
}

impl From<Unsent> for CallError {
    fn from(unsent: Unsent) -> Self {
        match unsent {
            Unsent::Closed => Self::not_sent(None),
            Unsent::Full(_) => Self::Full,
        }
    }
}
