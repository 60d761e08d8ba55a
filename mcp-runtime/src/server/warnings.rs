//! Mistakes of handlers that have no effect, and are logged once for each server.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::Context;
use crate::limits::MAX_WARNINGS;
use crate::protocol::Change;

/// The mistakes that were logged.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    changes: Mutex<HashSet<Change>>,
    /// Mistakes, each with the name or URI of its function.
    functions: Mutex<HashSet<(Mistake, String)>>,
    logging: Once,
    progress: Once,
    shrinking: Once,
}

/// A mistake that is logged once for each function.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Mistake {
    /// It asks after it has waited.
    Repetition,
    /// Its text is not of its MIME type.
    NotJson,
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
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        let has_room = changes.len() < MAX_WARNINGS;
        (has_room || !matches!(change, Change::Resource(_))) && changes.insert(change.clone())
    }

    /// Returns true if this mistake of `name` was not logged, nor too many others.
    fn is_first_of(&self, mistake: Mistake, name: &str) -> bool {
        let known = self.functions.lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        known.len() < MAX_WARNINGS && known.insert((mistake, name.to_owned()))
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
        let warnings = &self.server().state.warnings;
        if warnings.is_first_of(Mistake::Repetition, name) {
            crate::log::warn!(
                name,
                "what goes before the question, such as a payment, runs again in 2026-07-28: put it in `cx.once`, or \
                 make the question a parameter, by `#[elicit(\"…\")]`"
            );
        }
    }

    /// Logs that the text of a resource is not JSON, which its MIME type says.
    pub(super) fn warn_of_mime_type(&self, uri: &str, mime_type: &str) {
        let warnings = &self.server().state.warnings;
        if warnings.is_first_of(Mistake::NotJson, uri) {
            crate::log::warn!(
                uri,
                mime_type,
                "the text of a resource is not JSON, but its MIME type is: change its MIME type, or return \
                 `Json(value)`"
            );
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
