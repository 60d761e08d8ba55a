//! Putting a client together.

use std::sync::Arc;
use std::time::Duration;

use mcp_types::{Era, Implementation, Revision, Revisions};

use super::config::Config;
use super::connect::agree;
use super::link::Link;
use super::status::{OnStatus, Status, StatusBoard, TransportState};
use super::{Client, ConnectError};
use crate::protocol::Timeouts;
use crate::transport::Transport;

/// How a client presents itself and behaves; [`connect`](Self::connect) makes it one.
#[must_use = "nothing happens before `connect`"]
pub struct ClientBuilder {
    config: Config,
    on_status: Option<OnStatus>,
}

impl ClientBuilder {
    pub(super) fn new(name: String, version: String) -> Self {
        Self {
            config: Config::new(Implementation::new(name, version)),
            on_status: None,
        }
    }

    /// All that the client says of itself: name, version, title, icons and more.
    pub fn info(mut self, info: Implementation) -> Self {
        self.config.info = info;
        self
    }

    /// The revisions that the client is willing to speak; all that are known unless set.
    pub fn revisions(mut self, revisions: Revisions) -> Self {
        self.config.revisions = revisions;
        self
    }

    /// The one revision to speak. Nothing is probed: a handshake revision is offered, a stateless
    /// one is used.
    pub fn revision(self, revision: Revision) -> Self {
        self.revisions(Revisions::only(revision))
    }

    /// The era that the server belongs to, where it is known: it need not be found out.
    pub fn era(mut self, era: Era) -> Self {
        self.config.revisions = self.config.revisions.of(era);
        self
    }

    /// How long a server may be silent when asked for `server/discover` before it is greeted with
    /// `initialize`; 3 seconds unless set.
    pub fn probe_timeout(mut self, timeout: Duration) -> Self {
        self.config.probe_timeout = timeout;
        self
    }

    /// How long requests may take, unless a call says otherwise; 60 seconds unless set.
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.config.timeouts = timeouts;
        self
    }

    /// How many pages of a list are fetched at most; 1000 unless set.
    pub fn max_pages(mut self, pages: usize) -> Self {
        self.config.max_pages = pages;
        self
    }

    /// Calls `observer` with each change of the connection's status, in order. It must return
    /// quickly: the connection waits.
    pub fn on_status(mut self, observer: impl Fn(Status) + Send + Sync + 'static) -> Self {
        self.on_status = Some(Box::new(observer));
        self
    }

    /// Opens the transport and agrees with the server on a revision.
    ///
    /// Must be called within a tokio runtime: the connection is driven by a task of its own.
    ///
    /// # Errors
    ///
    /// See [`ConnectError`]; whatever was opened is closed again.
    pub async fn connect<T: Transport>(self, transport: T) -> Result<Client, ConnectError> {
        let board = Arc::new(StatusBoard::new(self.on_status));
        board.set_transport(TransportState::Connecting);
        let halves = transport.open().await.map_err(|error| {
            board.set_transport(TransportState::Disconnected);
            ConnectError::Open(error)
        })?;
        board.set_transport(TransportState::Connected);
        let link = Link::new::<T>(halves, &board, self.config.limits);
        match agree(&link, &self.config).await {
            Ok(agreed) => Ok(Client::new(self.config, board, link, agreed)),
            Err(error) => {
                link.close().await;
                Err(error)
            }
        }
    }
}
