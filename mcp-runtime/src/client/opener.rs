//! Opening a transport, once or again and again.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_types::Revisions;

use super::cache::Kept;
use super::config::Config;
use super::connect::{Agreed, agree};
use super::dispatcher::Dispatcher;
use super::error::ConnectError;
use super::link::Link;
use super::memory::Memory;
use super::slot::Connection;
use super::status::{StatusBoard, TransportState};
use crate::connection::BoxFuture;
use crate::transport::Transport;

/// Opens a transport of some kind.
pub(super) type Open = Box<dyn Fn(Shared) -> BoxFuture<io::Result<Link>> + Send + Sync>;

/// Opens `transport` again and again, if it can be.
pub(super) fn reopening<T: Transport>(transport: &T) -> Option<Open> {
    let kept = Mutex::new(transport.again()?);
    Some(Box::new(move |shared| {
        let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let transport = kept.again();
        Box::pin(async move {
            let transport = transport.ok_or(io::ErrorKind::NotConnected)?;
            shared.open(transport).await
        })
    }))
}

/// What all connections of a client have in common.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    pub(super) config: Arc<Config>,
    pub(super) board: Arc<StatusBoard>,
    pub(super) dispatcher: Arc<Dispatcher>,
    pub(super) memory: Arc<Memory>,
    /// What is kept of the server's answers, if anything is.
    pub(super) kept: Option<Arc<Kept>>,
}

impl Shared {
    /// Opens `transport` and begins to serve it.
    pub(super) async fn open<T: Transport>(&self, mut transport: T) -> io::Result<Link> {
        transport.set_timeouts(self.config.timeouts);
        self.board.set_transport(TransportState::Connecting);
        match transport.open().await {
            Ok(halves) => {
                self.board.set_transport(TransportState::Connected);
                Ok(Link::new::<T>(halves, self))
            }
            Err(error) => {
                self.board.set_transport(TransportState::Disconnected);
                Err(error)
            }
        }
    }

    /// Opens a link, and agrees with the server on one of `revisions`.
    pub(super) async fn connect(
        &self,
        open: &Open,
        revisions: Revisions,
    ) -> Result<Connection, ConnectError> {
        let link = open(self.clone()).await.map_err(ConnectError::Open)?;
        self.greet(link, revisions).await
    }

    /// Agrees with the server behind `link` on one of `revisions`; closes the link where that
    /// fails.
    pub(super) async fn greet(
        &self,
        link: Link,
        revisions: Revisions,
    ) -> Result<Connection, ConnectError> {
        match self.agree(&link, revisions).await {
            Ok(agreed) => Ok(Connection { link, agreed }),
            Err(error) => {
                link.close().await;
                Err(error.explained(link.fault()))
            }
        }
    }

    /// Agrees with the server behind `link` on one of `revisions`.
    pub(super) async fn agree(
        &self,
        link: &Link,
        revisions: Revisions,
    ) -> Result<Agreed, ConnectError> {
        agree(link, &self.config, revisions).await
    }
}
