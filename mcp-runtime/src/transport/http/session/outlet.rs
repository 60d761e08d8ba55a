//! The way to a client for what belongs to none of its requests.

use std::sync::Arc;

use super::Session;
use crate::driver::{Command, Link, Peer};
use crate::error::CallError;
use crate::transport::http::stream::Stream;

/// The stream that the client reads with GET. Only notifications are sent there.
struct Outlet(Arc<Stream>);

impl Session {
    /// The client, for what belongs to none of its requests. It does not keep the session open.
    pub(super) fn outlet(&self) -> Peer {
        Peer::over(Arc::new(Outlet(Arc::clone(self.standalone()))))
    }
}

impl Link for Outlet {
    fn send(&self, command: Command) -> Result<(), CallError> {
        let Command::Notify { frame } = command else {
            return Err(CallError::Closed);
        };
        if !self.0.push(frame) {
            tracing::debug!("a notification that the client has no room for was dropped");
        }
        Ok(())
    }

    fn next_id(&self) -> i64 {
        0
    }
}
