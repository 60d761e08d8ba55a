//! What an extension announces to a subscription.

use std::fmt;

use mcp_types::jsonrpc::write;
use mcp_types::{JsonObject, RequestId, meta_keys};
use serde_json::json;
use tokio::sync::mpsc;

/// What an extension announces to one subscription; returned by
/// [`Extension::listen`](super::Extension::listen).
///
/// Notifications are sent as fast as the client reads them. The channel bounds how many wait; its
/// sender fails once the subscription is over. A channel that ends ends nothing else.
pub struct ExtensionSubscription {
    pub(in crate::server) accepted: JsonObject,
    pub(in crate::server) notifications: mpsc::Receiver<ExtensionNotification>,
}

impl ExtensionSubscription {
    /// The members of the filter that the acknowledgement has, and the notifications to send after
    /// it.
    #[must_use]
    pub fn new(accepted: JsonObject, notifications: mpsc::Receiver<ExtensionNotification>) -> Self {
        Self {
            accepted,
            notifications,
        }
    }
}

impl fmt::Debug for ExtensionSubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtensionSubscription")
            .field("accepted", &self.accepted)
            .finish_non_exhaustive()
    }
}

/// A notification of an extension to a subscription.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtensionNotification {
    /// The method, such as `notifications/com.example/sold`.
    pub method: String,
    /// The parameters. The id of the subscription is added to their `_meta`.
    pub params: JsonObject,
}

impl ExtensionNotification {
    /// A notification.
    #[must_use]
    pub fn new(method: impl Into<String>, params: JsonObject) -> Self {
        Self {
            method: method.into(),
            params,
        }
    }

    /// The notification as it is sent to a subscription.
    pub(in crate::server) fn written(mut self, subscription: &RequestId) -> Vec<u8> {
        let meta = self.params.entry("_meta").or_insert_with(|| json!({}));
        if let Some(meta) = meta.as_object_mut() {
            meta.insert(meta_keys::SUBSCRIPTION_ID.to_owned(), json!(subscription));
        }
        let mut frame = Vec::new();
        write::notification(&mut frame, &self.method, Some(&self.params));
        frame
    }
}
