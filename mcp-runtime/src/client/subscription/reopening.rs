//! When a subscription is opened again, and what it counts as changed then.

use std::io;

use mcp_types::jsonrpc::code;
use mcp_types::{ResourceUpdatedNotificationParams, ServerNotification, SubscriptionFilter};
use tokio::time::Instant;

use crate::client::Reconnect;
use crate::error::CallError;
use crate::limits::STABLE_STREAM;

/// How often a subscription was opened in vain.
#[derive(Debug, Default)]
pub(super) struct Reopening {
    /// Streams in a row that did not last.
    short: u32,
    /// Requests in a row that were not acknowledged.
    failed: u32,
    /// When the server last agreed.
    agreed: Option<Instant>,
}

impl Reopening {
    /// The server has agreed. `true` if it has done so before.
    pub(super) fn agreed(&mut self) -> bool {
        self.failed = 0;
        self.agreed.replace(Instant::now()).is_some()
    }

    /// Whether the server has agreed at least once.
    pub(super) fn has_agreed(&self) -> bool {
        self.agreed.is_some()
    }

    /// The stream has ended with `error`: when to open it again, if that may help.
    pub(super) fn next(&mut self, error: &CallError, policy: Option<Reconnect>) -> Option<Instant> {
        let policy = policy.filter(|_| self.has_agreed() && is_lost(error))?;
        let lasted =
            self.failed == 0 && self.agreed.is_some_and(|at| at.elapsed() >= STABLE_STREAM);
        if lasted {
            self.short = 0;
        }
        if !policy.goes_on_after(self.failed) {
            return None;
        }
        let pause = policy.pause_before(self.short);
        self.short += 1;
        self.failed += 1;
        Some(Instant::now() + pause)
    }
}

/// Whether an error says that the server was not reached or can't answer now, not that it refuses.
pub(crate) fn is_lost(error: &CallError) -> bool {
    match error {
        CallError::Timeout { .. } | CallError::Lost(_) | CallError::SessionEnded => true,
        // Otherwise the request has no form in which it could be sent.
        CallError::NotSent(error) => error.kind() != io::ErrorKind::InvalidInput,
        // So says a server that has too much to do, or is shutting down.
        CallError::Rpc(error) => error.code == code::INTERNAL_ERROR,
        CallError::Http(error) => matches!(error.status, 408 | 429 | 500..),
        _ => false,
    }
}

/// Everything that a filter names, as changed.
pub(super) fn everything(filter: &SubscriptionFilter) -> Vec<ServerNotification> {
    let mut changed = Vec::new();
    if filter.tools_list_changed == Some(true) {
        changed.push(ServerNotification::ToolListChanged(Default::default()));
    }
    if filter.prompts_list_changed == Some(true) {
        changed.push(ServerNotification::PromptListChanged(Default::default()));
    }
    if filter.resources_list_changed == Some(true) {
        changed.push(ServerNotification::ResourceListChanged(Default::default()));
    }
    for uri in filter.resource_subscriptions.iter().flatten() {
        let params = ResourceUpdatedNotificationParams::new(uri.clone());
        changed.push(ServerNotification::ResourceUpdated(params));
    }
    changed
}
