//! State of one client between its requests.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use mcp_types::LoggingLevel;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::Server;
use super::changes::Subscriber;
use super::logging::{LEVELS, Severity, Threshold};
use super::notify::{Announced, notify};
use crate::connection::Peer;
use crate::error::RequestError;
use crate::limits::MAX_SUBSCRIPTIONS;

/// State of one client between its requests: of a connection, or of a session over HTTP.
///
/// Stateless requests leave it empty.
#[derive(Debug)]
pub(crate) struct Session {
    server: Server,
    announced: Announced,
    /// The least severe log messages to send (`logging/setLevel`).
    pub(super) log_level: Threshold,
    /// Set once the handshake is done, if the server announces changes.
    notifications: OnceLock<Notifications>,
    /// Whether the [`SessionState`] has changed since [`take_changed`](Self::take_changed).
    changed: AtomicBool,
    ending: watch::Sender<bool>,
}

/// What a client has asked for beyond single requests, for another process to restore its session.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct SessionState {
    #[serde(skip_serializing_if = "Option::is_none")]
    log_level: Option<LoggingLevel>,
    /// The URIs of the resources subscribed to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    resources: Vec<String>,
}

/// The task that notifies the client of changes. It ends when this is dropped.
#[derive(Debug)]
struct Notifications {
    subscriber: Arc<Subscriber>,
    task: AbortHandle,
}

impl Session {
    pub(super) fn new(server: Server, announced: Announced) -> Self {
        Self {
            server,
            announced,
            log_level: Threshold::default(),
            notifications: OnceLock::new(),
            changed: AtomicBool::new(false),
            ending: watch::Sender::new(false),
        }
    }

    pub(super) fn server(&self) -> &Server {
        &self.server
    }

    /// Whether the server declares logging.
    pub(super) fn logs(&self) -> bool {
        self.announced.logs
    }

    /// Notifies the client through `peer` from now on, of lists and of the resources that it
    /// subscribes to. Called when the handshake is done.
    pub(crate) fn begin(&self, peer: Peer) {
        if !self.announced.any() {
            return;
        }
        self.notifications.get_or_init(|| {
            let subscriber = self.server.changes().subscriber();
            for list in self.announced.lists() {
                subscriber.subscribe(list);
            }
            let source = Arc::clone(&subscriber);
            let task = tokio::spawn(async move {
                // It fails when the connection is over.
                let Err(_) = notify(&source, &peer, None).await;
            });
            let task = task.abort_handle();
            Notifications { subscriber, task }
        });
    }

    /// Sets the least severe log messages to send.
    pub(super) fn set_log_level(&self, least: Severity) {
        self.log_level.set(least);
        self.changed.store(true, Ordering::Release);
    }

    /// Subscribes the client to a resource, to be notified under the spelling `uri` (2025-11-25,
    /// "Resources", section Subscriptions).
    ///
    /// # Errors
    ///
    /// When it has subscribed to [`MAX_SUBSCRIPTIONS`] resources.
    pub(super) fn subscribe(&self, canonical: &str, uri: &str) -> Result<(), RequestError> {
        self.add_subscription(canonical, uri)?;
        self.changed.store(true, Ordering::Release);
        Ok(())
    }

    fn add_subscription(&self, canonical: &str, uri: &str) -> Result<(), RequestError> {
        let Some(notifications) = self.notifications.get() else {
            return Ok(());
        };
        if notifications.subscriber.len() >= MAX_SUBSCRIPTIONS {
            return Err(RequestError::TooManySubscriptions(MAX_SUBSCRIPTIONS));
        }
        notifications.subscriber.subscribe_resource(canonical, uri);
        Ok(())
    }

    /// Ends the subscription to a resource.
    pub(super) fn unsubscribe(&self, uri: &str) {
        self.remove_subscription(uri);
        self.changed.store(true, Ordering::Release);
    }

    fn remove_subscription(&self, uri: &str) {
        if let Some(notifications) = self.notifications.get() {
            notifications.subscriber.unsubscribe_resource(uri);
        }
    }

    fn subscriptions(&self) -> Vec<String> {
        let notifications = self.notifications.get();
        notifications.map_or_else(Vec::new, |it| it.subscriber.resources())
    }

    /// Whether the state has changed since this was last called.
    pub(crate) fn take_changed(&self) -> bool {
        self.changed.load(Ordering::Acquire) && self.changed.swap(false, Ordering::AcqRel)
    }

    /// The state to restore the session from.
    pub(crate) fn state(&self) -> SessionState {
        let Severity(least) = self.log_level.get();
        SessionState {
            log_level: LEVELS.get(usize::from(least)).cloned(),
            resources: self.subscriptions(),
        }
    }

    /// Replaces the state by that of another process.
    pub(crate) fn restore(&self, state: &SessionState) {
        let level = state.log_level.as_ref().and_then(Severity::of);
        let level = level.unwrap_or_else(|| Threshold::default().get());
        self.log_level.set(level);
        for uri in self.subscriptions() {
            if !state.resources.contains(&uri) {
                self.remove_subscription(&uri);
            }
        }
        let router = self.server.router();
        for uri in &state.resources {
            let canonical = router.resources.canonical(uri);
            // The process that accepted the subscription has checked the limit.
            let _ = self.add_subscription(canonical.as_deref().unwrap_or(uri), uri);
        }
    }

    /// Ends the subscriptions of the session, because the server or the connection ends.
    pub(crate) fn end(&self) {
        self.ending.send_replace(true);
        if let Some(notifications) = self.notifications.get() {
            notifications.task.abort();
        }
    }

    /// Waits until [`end`](Self::end) was called.
    pub(super) async fn ended(&self) {
        // Never fails: the sender lives as long as this.
        let _ = self.ending.subscribe().wait_for(|ending| *ending).await;
    }
}

impl Drop for Notifications {
    fn drop(&mut self) {
        self.task.abort();
    }
}
