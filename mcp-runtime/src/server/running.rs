//! A server at work.

use super::role::ServerRole;
use super::{Server, ShutdownHandle};
use crate::connection::{Commands, Driver, Limits, Peer};
use crate::error::ServeError;
use crate::transport::Transport;

/// A server at work: what it serves, what one connection may use, and who may end it.
#[derive(Debug)]
pub struct Running {
    pub(crate) server: Server,
    pub(crate) limits: Limits,
    /// Those who want the end, and on a single connection those who talk to the client.
    pub(crate) peer: Peer,
    pub(crate) commands: Commands,
}

impl Running {
    pub(crate) fn new(server: Server, limits: Limits) -> Self {
        let (peer, commands) = Peer::channel();
        Self {
            server,
            limits,
            peer,
            commands,
        }
    }

    pub(crate) fn shutdown_handle(&self) -> ShutdownHandle {
        ShutdownHandle::new(self.peer.clone())
    }

    /// Opens one connection, and serves it until it ends.
    pub(crate) async fn serve<T: Transport>(self, transport: T) -> Result<(), ServeError> {
        let halves = transport.open().await.map_err(ServeError::Open)?;
        let role = ServerRole::new(self.server, self.peer);
        let driver = Driver::new(role, halves, self.commands, self.limits);
        let ended = driver.run().await;
        ended.map(drop).map_err(ServeError::Connection)
    }
}
