//! What belongs to one client, for as long as the session with it lasts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::announce::{Announced, announce};
use super::changes::Listener;
use super::logging::{Severity, Threshold};
use super::{Server, task};
use crate::connection::Peer;
use crate::error::RequestError;
use crate::limits::MAX_SUBSCRIPTIONS;

/// What the server keeps of one client beyond single requests: a connection has one, or a session
/// over HTTP. Requests of the stateless era keep nothing here, and find nothing.
#[derive(Debug)]
pub(crate) struct Session {
    server: Server,
    announced: Announced,
    /// The least severe log messages that the client wants, where it says so once for all.
    pub(super) log_level: Threshold,
    /// What the client is told of, once it can be told anything.
    pub(super) telling: OnceLock<Telling>,
    /// Whether the client has asked for something else since that was last looked at.
    pub(super) asked: AtomicBool,
    ending: watch::Sender<bool>,
}

/// The task that tells the client what has changed. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct Telling {
    pub(super) listener: Arc<Listener>,
    task: AbortHandle,
}

impl Session {
    pub(super) fn new(server: Server, announced: Announced) -> Self {
        Self {
            server,
            announced,
            log_level: Threshold::default(),
            telling: OnceLock::new(),
            asked: AtomicBool::new(false),
            ending: watch::Sender::new(false),
        }
    }

    /// The server that the client talks to.
    pub(super) fn server(&self) -> &Server {
        &self.server
    }

    /// Whether the server says that it logs.
    pub(super) fn logs(&self) -> bool {
        self.announced.logs
    }

    /// The handshake is over: from now on the client is told through `peer` which lists change,
    /// and which of the resources that it subscribes to.
    pub(crate) fn begin(&self, peer: Peer) {
        if !self.announced.any() {
            return;
        }
        self.telling.get_or_init(|| {
            let listener = Arc::new(self.server.changes().listener());
            for list in self.announced.lists() {
                listener.want(list);
            }
            let heard = Arc::clone(&listener);
            let task = task::begin(Box::pin(async move {
                // It ends when the client can't be told any more.
                let Err(_) = announce(&heard, &peer, None).await;
            }));
            Telling { listener, task }
        });
    }

    /// The client wants no less severe log messages from now on.
    pub(super) fn set_log_level(&self, least: Severity) {
        self.log_level.set(least);
        self.asked.store(true, Ordering::Release);
    }

    /// The client wants to be told when the resource changes that it calls `uri` (2025-11-25,
    /// "Resources", section Subscriptions).
    ///
    /// # Errors
    ///
    /// When it has subscribed to too many.
    pub(super) fn subscribe(&self, canonical: &str, uri: &str) -> Result<(), RequestError> {
        self.want(canonical, uri)?;
        self.asked.store(true, Ordering::Release);
        Ok(())
    }

    pub(super) fn want(&self, canonical: &str, uri: &str) -> Result<(), RequestError> {
        let Some(telling) = self.telling.get() else {
            return Ok(());
        };
        if telling.listener.wants() >= MAX_SUBSCRIPTIONS {
            return Err(RequestError::TooManySubscriptions(MAX_SUBSCRIPTIONS));
        }
        telling.listener.want_resource(canonical, uri);
        Ok(())
    }

    /// The client has heard enough of a resource.
    pub(super) fn unsubscribe(&self, uri: &str) {
        self.forget(uri);
        self.asked.store(true, Ordering::Release);
    }

    pub(super) fn forget(&self, uri: &str) {
        if let Some(telling) = self.telling.get() {
            telling.listener.forget_resource(uri);
        }
    }

    /// The server or the connection ends, and with it whatever lasts until then.
    pub(crate) fn end(&self) {
        self.ending.send_replace(true);
        if let Some(telling) = self.telling.get() {
            telling.task.abort();
        }
    }

    /// Waits until the end is near.
    pub(super) async fn ended(&self) {
        // The sender lives as long as this does, so that there is no error.
        let _ = self.ending.subscribe().wait_for(|ending| *ending).await;
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        self.task.abort();
    }
}
