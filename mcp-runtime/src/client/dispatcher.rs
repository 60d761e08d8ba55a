//! What the server tells of its own accord.

use std::fmt;

use mcp_types::{RawJsonRef, RequestId, ServerNotification};
use serde::Deserialize;
use tokio::sync::broadcast;

use crate::limits::MAX_UNREAD_NOTIFICATIONS;

/// What is called with each notification.
pub(super) type OnNotification = Box<dyn Fn(&ServerNotification) + Send + Sync>;

/// A notification, and the subscription that it belongs to.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub(super) notification: ServerNotification,
    pub(super) subscription: Option<RequestId>,
}

/// Passes notifications on to whoever wants to know.
pub(super) struct Dispatcher {
    observers: Vec<OnNotification>,
    streams: broadcast::Sender<Told>,
}

impl Dispatcher {
    pub(super) fn new(observers: Vec<OnNotification>) -> Self {
        Self {
            observers,
            streams: broadcast::Sender::new(MAX_UNREAD_NOTIFICATIONS),
        }
    }

    pub(super) fn subscribe(&self) -> Notifications {
        Notifications(self.streams.subscribe())
    }

    /// Passes on a change that nobody has announced.
    pub(super) fn assume(&self, notification: &ServerNotification) {
        for observer in &self.observers {
            observer(notification);
        }
        let _ = self.streams.send(Told {
            notification: notification.clone(),
            subscription: None,
        });
    }

    /// Passes on what the server says with `method` and `params`.
    pub(super) fn publish(&self, method: &str, params: Option<RawJsonRef<'_>>) {
        if self.observers.is_empty() && self.streams.receiver_count() == 0 {
            return;
        }
        match ServerNotification::from_parts(method, params) {
            Ok(Some(notification)) => {
                for observer in &self.observers {
                    observer(&notification);
                }
                // Nobody listening is no fault.
                let _ = self.streams.send(Told {
                    notification,
                    subscription: subscription(params),
                });
            }
            Ok(None) => tracing::debug!(method, "an unknown notification was ignored"),
            Err(fault) => tracing::debug!(method, %fault, "a malformed notification was ignored"),
        }
    }
}

/// The subscription that a notification names in its `_meta`.
fn subscription(params: Option<RawJsonRef<'_>>) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct Params {
        #[serde(rename = "_meta")]
        meta: Option<Meta>,
    }

    #[derive(Deserialize)]
    struct Meta {
        #[serde(rename = "io.modelcontextprotocol/subscriptionId")]
        subscription: Option<RequestId>,
    }

    // Notifications whose `_meta` can't be read were ignored before.
    let params: Params = serde_json::from_str(params?.get()).ok()?;
    params.meta?.subscription
}

impl fmt::Debug for Dispatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dispatcher").finish_non_exhaustive()
    }
}

/// The notifications of a server, from the moment on when this was made, across reconnections.
///
/// A reader that falls behind by more than 256 misses the oldest.
#[derive(Debug)]
pub struct Notifications(broadcast::Receiver<Told>);

impl Notifications {
    /// The next notification; `None` once there can't be any, because the client is gone.
    ///
    /// Cancel safe: a future that is dropped loses nothing.
    pub async fn next(&mut self) -> Option<ServerNotification> {
        Some(self.next_told().await?.notification)
    }

    pub(super) async fn next_told(&mut self) -> Option<Told> {
        loop {
            match self.0.recv().await {
                Ok(told) => return Some(told),
                Err(broadcast::error::RecvError::Lagged(missed)) => {
                    tracing::warn!(
                        missed,
                        "notifications were forgotten: the reader is too slow"
                    );
                }
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }
}
