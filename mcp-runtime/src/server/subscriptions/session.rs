//! The state that a server keeps for a client between requests: its log level and subscriptions.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use mcp_types::{JsonObject, LoggingLevel};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::Changes;
use super::changes::{ChangeSubscriber, notify};
use crate::connection::Peer;
use crate::error::RequestError;
use crate::limits::MAX_SUBSCRIPTIONS;
use crate::server::{List, RawSession};
use crate::sync::lock;

const LEVELS: [LoggingLevel; 8] = [
    LoggingLevel::Debug,
    LoggingLevel::Info,
    LoggingLevel::Notice,
    LoggingLevel::Warning,
    LoggingLevel::Error,
    LoggingLevel::Critical,
    LoggingLevel::Alert,
    LoggingLevel::Emergency,
];

/// The index of a level in [`LEVELS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::server) struct Severity(u8);

impl Severity {
    const INFO: Self = Self(1);

    /// Returns the severity of a level, or `None` if the level is unknown.
    pub(in crate::server) fn of(level: &LoggingLevel) -> Option<Self> {
        let index = LEVELS.iter().position(|known| known == level)?;
        u8::try_from(index).ok().map(Self)
    }
}

/// The state that a server keeps for a client between requests: for a connection, or for a session
/// over HTTP. Stateless requests do not change it.
#[derive(Debug)]
pub(crate) struct Session {
    /// The number of the session, which is unique in this process.
    pub(crate) number: u64,
    pub(in crate::server) logging: bool,
    pub(in crate::server) input_timeout: Duration,
    pub(in crate::server) changes: Changes,
    /// The minimum [`Severity`] of the log messages to send.
    log_level: AtomicU8,
    /// Set when the handshake is complete, if the server announces changes.
    subscriber: OnceLock<Arc<ChangeSubscriber>>,
    /// The changes of the state that are not in the store yet; `None` if the session is not stored.
    edits: Mutex<Option<Vec<SessionEdit>>>,
    ended: watch::Sender<bool>,
    /// Serves the client of a raw server, from its `initialize` on.
    raw: Mutex<Option<Arc<dyn RawSession>>>,
    /// True if a raw server has refused `initialize`.
    refused: AtomicBool,
}

/// The part of a session's state that each process needs to serve the client.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct StoredSession {
    /// True if the client has completed the handshake.
    pub(crate) initialized: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    log_level: Option<LoggingLevel>,
    /// The URIs of the subscribed resources, as the client spells them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    resources: Vec<String>,
    /// Members that another version of this library has added.
    #[serde(flatten)]
    other: JsonObject,
}

/// A change of a [`StoredSession`]. Processes that change the state at the same time each apply
/// their change to what the store has, so none of the changes is lost.
#[derive(Clone, Debug)]
pub(crate) enum SessionEdit {
    Initialized,
    LogLevel(LoggingLevel),
    Subscribe(String),
    Unsubscribe(String),
}

impl StoredSession {
    pub(crate) fn apply(&mut self, edit: &SessionEdit) {
        match edit {
            SessionEdit::Initialized => self.initialized = true,
            SessionEdit::LogLevel(level) => self.log_level = Some(level.clone()),
            SessionEdit::Subscribe(uri) if self.resources.contains(uri) => {}
            SessionEdit::Subscribe(uri) => self.resources.push(uri.clone()),
            SessionEdit::Unsubscribe(uri) => self.resources.retain(|it| it != uri),
        }
    }
}

impl Session {
    pub(in crate::server) fn new(logging: bool, input_timeout: Duration, changes: Changes) -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self {
            number: LAST.fetch_add(1, Ordering::Relaxed),
            logging,
            input_timeout,
            changes,
            log_level: AtomicU8::new(Severity::INFO.0),
            subscriber: OnceLock::new(),
            edits: Mutex::default(),
            ended: watch::Sender::new(false),
            raw: Mutex::default(),
            refused: AtomicBool::new(false),
        }
    }

    /// Starts to notify the client through `peer` of changes of `lists` and of the resources that it
    /// subscribes to. Called when the handshake is complete.
    pub(in crate::server) fn begin(&self, lists: &BTreeSet<List>, peer: Peer) {
        self.subscriber.get_or_init(|| {
            let subscriber = self.changes.subscriber();
            for list in lists {
                subscriber.subscribe((*list).into());
            }
            let source = Arc::clone(&subscriber);
            let mut ended = self.ended.subscribe();
            tokio::spawn(async move {
                tokio::select! {
                    // Fails if the session was dropped.
                    _ = ended.wait_for(|ended| *ended) => {}
                    // Fails if the connection has ended.
                    Err(_) = notify(&source, &peer, None) => {}
                }
            });
            subscriber
        });
    }

    /// The minimum severity of the log messages to send (`logging/setLevel`); `info` by default.
    pub(in crate::server) fn log_level(&self) -> Severity {
        Severity(self.log_level.load(Ordering::Relaxed))
    }

    pub(in crate::server) fn set_log_level(&self, least: Severity) {
        self.log_level.store(least.0, Ordering::Relaxed);
        if let Some(level) = LEVELS.get(usize::from(least.0)) {
            self.edited(|| SessionEdit::LogLevel(level.clone()));
        }
    }

    /// Subscribes the client to the resource with the URI `canonical`, whose changes are reported
    /// under the client's spelling `uri` (2025-11-25, "Resources", section Subscriptions).
    ///
    /// # Errors
    ///
    /// Fails if the client already has [`MAX_SUBSCRIPTIONS`] subscriptions.
    pub(in crate::server) fn subscribe(
        &self,
        canonical: &str,
        uri: &str,
    ) -> Result<(), RequestError> {
        let Some(subscriber) = self.subscriber.get() else {
            return Ok(());
        };
        if subscriber.len() >= MAX_SUBSCRIPTIONS {
            return Err(RequestError::TooManySubscriptions(MAX_SUBSCRIPTIONS));
        }
        subscriber.subscribe_resource(canonical, uri);
        self.edited(|| SessionEdit::Subscribe(uri.to_owned()));
        Ok(())
    }

    pub(in crate::server) fn unsubscribe(&self, uri: &str) {
        if let Some(subscriber) = self.subscriber.get() {
            subscriber.unsubscribe_resource(uri);
            self.edited(|| SessionEdit::Unsubscribe(uri.to_owned()));
        }
    }

    /// Collects the changes of the state from now on, because the session is stored.
    pub(crate) fn collect_edits(&self) {
        lock(&self.edits).get_or_insert_default();
    }

    pub(crate) fn is_stored(&self) -> bool {
        lock(&self.edits).is_some()
    }

    /// Collects a change of the state if the session is stored.
    pub(crate) fn edited(&self, edit: impl FnOnce() -> SessionEdit) {
        if let Some(edits) = &mut *lock(&self.edits) {
            edits.push(edit());
        }
    }

    /// Takes the changes of the state that are not in the store yet.
    pub(crate) fn take_edits(&self) -> Vec<SessionEdit> {
        let mut edits = lock(&self.edits);
        edits.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Replaces the state with the state that another process has stored. `canonical` converts a URI
    /// to its canonical spelling.
    pub(in crate::server) fn restore(
        &self,
        state: &StoredSession,
        canonical: impl Fn(&str) -> String,
    ) {
        let level = state.log_level.as_ref().and_then(Severity::of);
        let Severity(level) = level.unwrap_or(Severity::INFO);
        self.log_level.store(level, Ordering::Relaxed);
        let Some(subscriber) = self.subscriber.get() else {
            return;
        };
        for uri in subscriber.resources() {
            if !state.resources.contains(&uri) {
                subscriber.unsubscribe_resource(&uri);
            }
        }
        // The number of subscriptions was checked by the process that accepted them.
        for uri in &state.resources {
            subscriber.subscribe_resource(&canonical(uri), uri);
        }
    }

    pub(crate) fn raw(&self) -> Option<Arc<dyn RawSession>> {
        lock(&self.raw).clone()
    }

    pub(crate) fn set_raw(&self, raw: Arc<dyn RawSession>) {
        *lock(&self.raw) = Some(raw);
    }

    pub(crate) fn is_refused(&self) -> bool {
        self.refused.load(Ordering::Acquire)
    }

    pub(crate) fn set_refused(&self, refused: bool) {
        self.refused.store(refused, Ordering::Release);
    }

    /// Ends the subscriptions of the session. Called when the server or the connection ends.
    pub(crate) fn end(&self) {
        lock(&self.raw).take();
        self.ended.send_replace(true);
    }

    pub(crate) async fn ended(&self) {
        // Never fails, because `self` holds the sender.
        let _ = self.ended.subscribe().wait_for(|ended| *ended).await;
    }
}
