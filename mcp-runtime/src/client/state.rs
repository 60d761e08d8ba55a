//! State of a client that outlives its connections: its status, and the notifications that it
//! dispatches.

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

/// Everything that the connections of a client share.
pub(super) struct ClientState {
    pub(super) config: Config,
    pub(super) status: watch::Sender<Status>,
    pub(super) notifications: broadcast::Sender<Received>,
    pub(super) cache: Option<ClientCache>,
    session: Mutex<SessionSettings>,
    /// Set to true to close the client.
    pub(super) closing: watch::Sender<bool>,
}

/// Settings that a server is given again after a reconnection, and the tools that it last listed.
#[derive(Default)]
pub(super) struct SessionSettings {
    pub(super) log_level: Option<LoggingLevel>,
    /// Resources that the user has subscribed to one by one.
    pub(super) resources: BTreeSet<String>,
    /// Resources of [`Subscription`](super::Subscription)s, and the number of those.
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

    /// Waits for a future; `None` as soon as the client is to be closed.
    pub(super) async fn unless_closing<F: Future>(&self, future: F) -> Option<F::Output> {
        let mut closing = self.closing.subscribe();
        tokio::select! {
            biased;
            // Can't fail: the sender is here.
            _ = closing.wait_for(|closing| *closing) => None,
            output = future => Some(output),
        }
    }

    /// Changes the status. A change is logged, then passed to the observer.
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

    /// Forgets what a notification makes stale, then passes it to observers and
    /// [`Notifications`].
    pub(super) fn dispatch(
        &self,
        notification: ServerNotification,
        subscription: Option<RequestId>,
    ) {
        if let Some(changed) = Change::by(&notification) {
            if changed == Change::Tools {
                self.session().tools.clear();
            }
            // Before the observers, which may ask again at once.
            if let Some(cache) = &self.cache {
                cache.invalidate(&changed);
            }
        }
        for observer in &self.config.on_notification {
            observer(&notification);
        }
        // Fails if there is no receiver.
        let _ = self.notifications.send(Received {
            notification,
            subscription,
        });
    }

    /// The members of `_meta` (JSON without braces) for a request over a connection whose requests
    /// all carry `connection`, with `further` ones of the caller.
    pub(super) fn request_meta(&self, connection: &str, further: &str) -> String {
        let level = self.session().log_level.clone();
        let level = level.filter(|_| !connection.is_empty()).map(|level| {
            let level = Value::from(level.as_str());
            format!(r#""{}":{level}"#, meta_keys::LOG_LEVEL)
        });
        let trace = self.config.trace.as_ref().and_then(|trace| trace());
        let trace = trace.and_then(|trace| serde_json::to_string(&trace).ok());
        let trace = trace.as_ref().map(|trace| &trace[1..trace.len() - 1]);
        let members = [Some(further), Some(connection), level.as_deref(), trace];
        let members = members.into_iter().flatten();
        let members: Vec<_> = members.filter(|members| !members.is_empty()).collect();
        members.join(",")
    }
}

impl SessionSettings {
    /// Notes that one more subscription is about `uri`.
    pub(super) fn hold(&mut self, uri: &str) {
        *self.held.entry(uri.to_owned()).or_default() += 1;
    }

    /// Removes one subscription to `uri`; returns true if none is left.
    pub(super) fn release(&mut self, uri: &str) -> bool {
        if let Some(count) = self.held.get_mut(uri) {
            *count -= 1;
        }
        self.held.retain(|_, count| *count > 0);
        !self.held.contains_key(uri) && !self.resources.contains(uri)
    }
}

/// A notification, and the subscription that it belongs to.
#[derive(Clone, Debug)]
pub(super) struct Received {
    pub(super) notification: ServerNotification,
    pub(super) subscription: Option<RequestId>,
}

/// The subscription that a notification names in its `_meta`.
pub(super) fn subscription(params: Option<RawJsonRef<'_>>) -> Option<RequestId> {
    let params: Value = serde_json::from_str(params?.get()).ok()?;
    let id = params.get("_meta")?.get(meta_keys::SUBSCRIPTION_ID)?;
    RequestId::deserialize(id).ok()
}

/// The notifications of a server from now on, across reconnections.
///
/// A reader that falls behind by more than 256 misses the oldest.
#[derive(Debug)]
pub struct Notifications(pub(super) broadcast::Receiver<Received>);

impl Notifications {
    /// The next notification; `None` once there can't be any, because the client is gone.
    ///
    /// Cancel safe: a future that is dropped loses nothing.
    pub async fn next(&mut self) -> Option<ServerNotification> {
        Some(self.receive().await?.notification)
    }

    /// The same, with the subscription that it belongs to.
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

/// State of the transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TransportState {
    /// Not opened yet, or closed.
    Disconnected,
    /// Being opened.
    Connecting,
    /// Open.
    Connected,
    /// Lost, and going to be opened again.
    Reconnecting,
    /// Lost, and no longer restored by itself; another call may try once more.
    /// [`Client::lost_because`](crate::Client::lost_because) has the reason.
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

/// The state of a client: of its transport, and of the protocol that runs over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Status {
    /// State of the transport.
    pub transport: TransportState,
    /// State of the protocol.
    pub lifecycle: LifecycleState,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.transport, self.lifecycle)
    }
}

/// Follows the status of a client.
///
/// Changes in quick succession may be seen as one; [`on_status`] sees each of them.
///
/// [`on_status`]: crate::ClientBuilder::on_status
#[derive(Clone, Debug)]
pub struct StatusWatch(pub(super) watch::Receiver<Status>);

impl StatusWatch {
    /// The status as it is now.
    #[must_use]
    pub fn current(&self) -> Status {
        *self.0.borrow()
    }

    /// Waits for a change. `None` once there can't be any, because the client is gone.
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
