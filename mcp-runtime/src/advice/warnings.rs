//! Mistakes of handlers that make no request fail. Most are logged once for each server.

use std::collections::HashSet;
use std::sync::Mutex;

use mcp_types::{RawJson, ReadResourceResult, ResourceContents};
use serde::de::IgnoredAny;

use crate::limits::MAX_WARNINGS;
use crate::log::Once;
use crate::protocol::Change;
use crate::sync::lock;

/// The mistakes that were logged.
#[derive(Debug, Default)]
pub(crate) struct Warnings {
    changes: Mutex<HashSet<Change>>,
    /// The names and URIs of functions that were logged.
    functions: Mutex<HashSet<String>>,
    logging: Once,
    progress: Once,
    unwanted_progress: Once,
}

impl Warnings {
    /// Logs that clients can't subscribe to `change`, which was announced. The log is bounded for
    /// resources, whose URIs may come from outside.
    pub(crate) fn change(&self, change: &Change, reason: &str) {
        let mut changes = lock(&self.changes);
        let has_room = changes.len() < MAX_WARNINGS || !matches!(change, Change::Resource(_));
        if has_room && changes.insert(change.clone()) {
            drop(changes);
            crate::log::warn!(?change, "clients can't subscribe to this change: {reason}");
        }
    }

    /// Logs that a handler sends log messages, but its server does not declare them.
    pub(crate) fn logging(&self) {
        if self.logging.is_first() {
            crate::log::warn!(
                "log messages are not sent to clients: declare them, by `#[mcp_server(logging)]` \
                 or `ServerBuilder::logging`"
            );
        }
    }

    /// Logs that the handler called `name` waits for something before it asks, which happens again
    /// when the client retries the call.
    pub(crate) fn repetition(&self, name: &str) {
        if self.is_first_of(name) {
            crate::log::warn!(
                name,
                "what goes before the question, such as a payment, runs again in 2026-07-28: put it in `cx.once`, or \
                 make the question a parameter, by `#[elicit(\"…\")]`"
            );
        }
    }

    /// Logs texts of a resource that are not JSON, although their MIME type is. Only debug builds read them.
    pub(crate) fn resource(&self, result: &ReadResourceResult) {
        if !cfg!(debug_assertions) {
            return;
        }
        for part in &result.contents {
            if let ResourceContents::Text(part) = part
                && let Some(mime_type) = part.mime_type.as_deref().filter(|it| is_json(it))
                && serde_json::from_str::<IgnoredAny>(&part.text).is_err()
                && self.is_first_of(&part.uri)
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
    pub(crate) fn progress(&self, done: f64) {
        if self.progress.is_first() {
            crate::log::warn!(
                progress = done,
                "progress is not sent: its amount must increase, and is smaller than before, or not finite \
                 (this is logged once)"
            );
        }
    }

    /// Logs that a handler reports progress that the client did not request.
    pub(crate) fn unwanted_progress(&self) {
        if self.unwanted_progress.is_first() {
            tracing::debug!(
                "progress is not sent: the client asks for it with a `progressToken`, and did not"
            );
        }
    }

    /// Returns true if nothing was logged about the function `name`, nor about too many others.
    fn is_first_of(&self, name: &str) -> bool {
        let mut known = lock(&self.functions);
        known.len() < MAX_WARNINGS && known.insert(name.to_owned())
    }
}

/// Logs a `null` in `json` for which its type has no place: numbers that are not finite are written
/// so, as JSON has none. `find` returns the path of such a `null`; only debug builds search.
pub(crate) fn warn_of_null(type_name: &str, json: &RawJson, find: impl FnOnce() -> Option<String>) {
    if cfg!(debug_assertions)
        && json.get().contains("null")
        && let Some(path) = find()
    {
        crate::log::warn!(
            r#type = type_name,
            path = path.trim_start_matches('.'),
            "a result has a `null` that its schema does not allow: a number that is not finite, such as \
             `NaN`, has no JSON"
        );
    }
}

/// Logs a name of a tool that clients may refuse (2025-11-25, "Tools", section "Tool Names").
pub(crate) fn check_tool_name(name: &str) {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    if !(1..=128).contains(&name.len()) || !name.bytes().all(allowed) {
        crate::log::warn!(
            name,
            "clients may refuse this tool: names are 1 to 128 of A-Z, a-z, 0-9, `_`, `-` and `.`"
        );
    }
}

/// Returns true for `application/json` and types such as `application/geo+json`.
fn is_json(mime_type: &str) -> bool {
    let essence = mime_type.split(';').next().unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    essence == "application/json" || essence.ends_with("+json")
}
