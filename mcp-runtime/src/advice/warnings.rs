//! Mistakes of handlers that have no effect, and are logged once for each server.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use mcp_types::{ReadResourceResult, ResourceContents};
use serde::de::IgnoredAny;

use super::Context;
use crate::limits::MAX_WARNINGS;
use crate::protocol::Change;
use crate::sync::lock;

/// The mistakes that were logged.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    changes: Mutex<HashSet<Change>>,
    /// The names and URIs of functions that were logged.
    functions: Mutex<HashSet<String>>,
    logging: Once,
    progress: Once,
    shrinking: Once,
}

/// True once it was asked for. Unlike that of `std`, it may be used while a log is written.
#[derive(Debug, Default)]
struct Once(AtomicBool);

impl Once {
    /// Returns true the first time.
    fn is_first(&self) -> bool {
        !self.0.load(Ordering::Relaxed) && !self.0.swap(true, Ordering::Relaxed)
    }
}

impl Warnings {
    /// Returns true if nothing was logged about `change`, nor about too many resources.
    pub(super) fn is_first(&self, change: &Change) -> bool {
        let mut changes = lock(&self.changes);
        let has_room = changes.len() < MAX_WARNINGS;
        (has_room || !matches!(change, Change::Resource(_))) && changes.insert(change.clone())
    }

    /// Returns true if nothing was logged about the function `name`, nor about too many others.
    fn is_first_of(&self, name: &str) -> bool {
        let mut known = lock(&self.functions);
        known.len() < MAX_WARNINGS && known.insert(name.to_owned())
    }
}

impl Context {
    /// Logs that a handler sends log messages, but its server does not declare them.
    pub(super) fn warn_of_logging(&self) {
        if self.server().state.warnings.logging.is_first() {
            crate::log::warn!(
                "log messages are not sent to clients: declare them, by `#[mcp_server(logging)]` \
                 or `ServerBuilder::logging`"
            );
        }
    }

    /// Logs that the handler called `name` waits for something before it asks, which happens again
    /// when the client retries the call.
    pub(super) fn warn_of_repetition(&self, name: &str) {
        if self.server().state.warnings.is_first_of(name) {
            crate::log::warn!(
                name,
                "what goes before the question, such as a payment, runs again in 2026-07-28: put it in `cx.once`, or \
                 make the question a parameter, by `#[elicit(\"…\")]`"
            );
        }
    }

    /// Logs texts of a resource that are not JSON, although their MIME type is.
    pub(super) fn check_json(&self, result: &ReadResourceResult) {
        for part in &result.contents {
            if let ResourceContents::Text(part) = part
                && let Some(mime_type) = part.mime_type.as_deref().filter(|it| is_json(it))
                && serde_json::from_str::<IgnoredAny>(&part.text).is_err()
                && self.server().state.warnings.is_first_of(&part.uri)
            {
                crate::log::warn!(
                    uri = part.uri,
                    mime_type,
                    "the text of a resource is not JSON, but its MIME type is: change its MIME type, or return \
                     `Json(value)`"
                );
            }
        }
    }

    /// Logs that a handler reports progress that does not increase to `done`.
    pub(super) fn warn_of_progress(&self, done: f64) {
        if self.server().state.warnings.shrinking.is_first() {
            crate::log::warn!(
                progress = done,
                "progress is not sent: its amount must increase, and is smaller than before, or not finite \
                 (this is logged once)"
            );
        }
    }

    /// Logs that a handler reports progress that the client did not ask for.
    pub(super) fn note_unwanted_progress(&self) {
        if self.server().state.warnings.progress.is_first() {
            tracing::debug!(
                "progress is not sent: the client asks for it with a `progressToken`, and did not"
            );
        }
    }
}

/// Returns true for `application/json` and types such as `application/geo+json`.
fn is_json(mime_type: &str) -> bool {
    let essence = mime_type.split(';').next().unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    essence == "application/json" || essence.ends_with("+json")
}
