//! Notifications of a server.

use mcp_types::{RawJsonRef, RequestId, ServerNotification, meta_keys};
use serde::Deserialize as _;
use serde_json::Value;
use tokio::sync::broadcast;

/// An observer of notifications.
pub(super) type OnNotification = Box<dyn Fn(&ServerNotification) + Send + Sync>;

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
                    tracing::warn!(missed, "notifications were lost: the reader is too slow");
                }
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }
}
