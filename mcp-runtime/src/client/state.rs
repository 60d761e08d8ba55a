//! The client state that outlives single connections: the status, the notifications, and the
//! settings to restore after a reconnection.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::{Mutex, MutexGuard};

use mcp_types::{LoggingLevel, RawJsonRef, RequestId, ServerNotification, Tool, meta_keys};
use serde::Deserialize as _;
use serde_json::Value;
use tokio::sync::{broadcast, watch};

use super::cache::ClientCache;
use super::config::Config;
use crate::limits::MAX_UNREAD_NOTIFICATIONS;
use crate::protocol::{Change, LifecycleState};
use crate::sync::lock;

pub(super) struct ClientState {
    pub(super) config: Config,
    pub(super) status: watch::Sender<Status>,
    pub(super) notifications: broadcast::Sender<Received>,
    pub(super) cache: Option<ClientCache>,
    session: Mutex<SessionSettings>,
    pub(super) closing: watch::Sender<bool>,
}

/// The settings to restore after a reconnection, and the tools that the server last listed.
#[derive(Default)]
pub(super) struct SessionSettings {
    pub(super) log_level: Option<LoggingLevel>,
    /// The resources that were subscribed to with [`Client::subscribe`](super::Client::subscribe).
    pub(super) resources: BTreeSet<String>,
    /// The number of [`Subscription`](super::Subscription)s to each resource.
    held: BTreeMap<String, usize>,
    pub(super) tools: HashMap<String, Tool>,
}

impl ClientState {
    pub(super) fn new(config: Config) -> Self {
        Self {
            status: watch::Sender::new(Status {
                transport: TransportState::Disconnected,
                lifecycle: LifecycleState::Uninitialized,
            }),
            notifications: broadcast::Sender::new(MAX_UNREAD_NOTIFICATIONS),
            cache: config.cache.clone().map(ClientCache::new),
            session: Mutex::default(),
            closing: watch::Sender::new(false),
            config,
        }
    }

    pub(super) fn session(&self) -> MutexGuard<'_, SessionSettings> {
        lock(&self.session)
    }

    pub(super) async fn unless_closing<F: Future>(&self, future: F) -> Option<F::Output> {
        let mut closing = self.closing.subscribe();
        tokio::select! {
            biased;
            // Can't fail, because `self` holds the sender.
            _ = closing.wait_for(|closing| *closing) => None,
            output = future => Some(output),
        }
    }

    /// Updates the status. If the status has changed, logs it and calls the observer.
    pub(super) fn set_status(&self, change: impl FnOnce(&mut Status)) {
        let mut changed = None;
        self.status.send_if_modified(|status| {
            let before = *status;
            change(status);
            changed = (before != *status).then_some(*status);
            changed.is_some()
        });
        if let Some(now) = changed {
            tracing::debug!(transport = %now.transport, lifecycle = %now.lifecycle, "connection");
            if let Some(observer) = &self.config.on_status {
                observer(now);
            }
        }
    }

    /// Drops the cached data that a notification makes stale, then passes the notification to the
    /// observers and to [`Notifications`].
    pub(super) fn dispatch(
        &self,
        notification: ServerNotification,
        subscription: Option<RequestId>,
    ) {
        if let Some(changed) = Change::by(&notification) {
            if changed == Change::Tools {
                self.session().tools.clear();
            }
            // Invalidate first, because an observer may immediately fetch the list again.
            if let Some(cache) = &self.cache {
                cache.invalidate(&changed);
            }
        }
        for observer in &self.config.on_notification {
            observer(&notification);
        }
        // Fails if nobody is subscribed.
        let _ = self.notifications.send(Received {
            notification,
            subscription,
        });
    }

    /// Composes the members of a request's `_meta`, as JSON without braces. `connection` holds the
    /// members that every request on the connection carries.
    pub(super) fn request_meta(&self, connection: &str) -> String {
        let level = self.session().log_level.clone();
        let level = level.filter(|_| !connection.is_empty()).map(|level| {
            let level = Value::from(level.as_str());
            format!(r#""{}":{level}"#, meta_keys::LOG_LEVEL)
        });
        let trace = self.config.trace.as_ref().and_then(|trace| trace());
        let trace = trace.and_then(|trace| serde_json::to_string(&trace).ok());
        let trace = trace.as_ref().map(|trace| &trace[1..trace.len() - 1]);
        let members = [Some(connection), level.as_deref(), trace];
        let members = members.into_iter().flatten();
        let members: Vec<_> = members.filter(|members| !members.is_empty()).collect();
        members.join(",")
    }
}

impl SessionSettings {
    pub(super) fn hold(&mut self, uri: &str) {
        *self.held.entry(uri.to_owned()).or_default() += 1;
    }

    /// Removes one subscription to `uri`. Returns true if the server can be unsubscribed from it.
    pub(super) fn release(&mut self, uri: &str) -> bool {
        if let Some(count) = self.held.get_mut(uri) {
            *count -= 1;
        }
        self.held.retain(|_, count| *count > 0);
        !self.held.contains_key(uri) && !self.resources.contains(uri)
    }
}

/// A notification, with the id of the subscription that it belongs to.
#[derive(Clone, Debug)]
pub(super) struct Received {
    pub(super) notification: ServerNotification,
    pub(super) subscription: Option<RequestId>,
}

/// Reads the subscription id from the `_meta` of a notification.
pub(super) fn subscription(params: Option<RawJsonRef<'_>>) -> Option<RequestId> {
    let params: Value = serde_json::from_str(params?.get()).ok()?;
    let id = params.get("_meta")?.get(meta_keys::SUBSCRIPTION_ID)?;
    RequestId::deserialize(id).ok()
}

/// Receives the notifications of a server, across reconnections; created by
/// [`Client::notifications`](crate::Client::notifications).
///
/// A reader that falls more than 256 notifications behind misses the oldest.
#[derive(Debug)]
pub struct Notifications(pub(super) broadcast::Receiver<Received>);

impl Notifications {
    /// Waits for the next notification. Returns `None` after the client was dropped.
    ///
    /// This method is cancel safe: dropping its future loses no notification.
    pub async fn next(&mut self) -> Option<ServerNotification> {
        Some(self.receive().await?.notification)
    }

    /// Like [`next`](Self::next), but includes the subscription id.
    pub(super) async fn receive(&mut self) -> Option<Received> {
        loop {
            match self.0.recv().await {
                Ok(received) => return Some(received),
                Err(broadcast::error::RecvError::Lagged(missed)) => {
                    crate::log::warn!(missed, "notifications were lost: the reader is too slow");
                }
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }
}

/// The state of the transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TransportState {
    /// The transport is not open yet, or it is closed.
    Disconnected,
    /// The transport is being opened.
    Connecting,
    /// The transport is open.
    Connected,
    /// The connection was lost, and the client is reconnecting.
    Reconnecting,
    /// The connection was lost, and the client no longer reconnects automatically. Another call may
    /// trigger one more attempt. For the reason, see
    /// [`Client::lost_because`](crate::Client::lost_because).
    Lost,
}

impl fmt::Display for TransportState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Disconnected => "disconnected",
            Self::Connecting => "connecting",
            Self::Connected => "connected",
            Self::Reconnecting => "reconnecting",
            Self::Lost => "lost",
        })
    }
}

/// The status of a client's connection: the state of the transport and of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Status {
    /// The state of the transport.
    pub transport: TransportState,
    /// The state of the protocol.
    pub lifecycle: LifecycleState,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.transport, self.lifecycle)
    }
}

/// Follows the status of a client; created by
/// [`Client::watch_status`](crate::Client::watch_status).
///
/// Several changes in quick succession may be reported as one. To see each of them, use
/// [`on_status`].
///
/// [`on_status`]: crate::ClientBuilder::on_status
#[derive(Clone, Debug)]
pub struct StatusWatch(pub(super) watch::Receiver<Status>);

impl StatusWatch {
    /// The current status.
    #[must_use]
    pub fn current(&self) -> Status {
        *self.0.borrow()
    }

    /// Waits for a change and returns the new status. Returns `None` after the client was dropped.
    pub async fn changed(&mut self) -> Option<Status> {
        self.0.changed().await.ok()?;
        Some(*self.0.borrow_and_update())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn changes_are_followed_until_the_client_is_gone() {
        let status = |transport, lifecycle| Status {
            transport,
            lifecycle,
        };
        let before = status(TransportState::Disconnected, LifecycleState::Uninitialized);
        let sender = watch::Sender::new(before);
        let mut watching = StatusWatch(sender.subscribe());
        assert_eq!(
            watching.current().to_string(),
            "disconnected, uninitialized"
        );
        sender.send_replace(status(TransportState::Connected, LifecycleState::Operating));
        let changed = watching.changed().await.unwrap();
        assert_eq!(changed.to_string(), "connected, operating");
        drop(sender);
        assert_eq!(watching.changed().await, None);
    }
}
