//! How a client presents itself and behaves.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mcp_types::{Era, Implementation, Revisions};

use super::keep_alive::KeepAlive;
use super::questions::Handlers;
use super::reconnect::Reconnect;
use super::tracing::Tracing;
use crate::connection::Limits;
use crate::limits::{CLOSE_TIMEOUT, MAX_PAGES, MAX_QUESTION_ROUNDS, PROBE_TIMEOUT};
use crate::protocol::Timeouts;

/// What a client was told by its builder.
#[derive(Clone, Debug)]
pub(super) struct Config {
    pub(super) info: Implementation,
    pub(super) handlers: Handlers,
    pub(super) max_rounds: usize,
    pub(super) revisions: Revisions,
    /// The era that the server belonged to the last time.
    pub(super) remembered: Option<Era>,
    /// How long a server may be silent before it is taken for one of the handshake era.
    pub(super) probe_timeout: Duration,
    pub(super) timeouts: Timeouts,
    pub(super) max_pages: usize,
    pub(super) limits: Limits,
    pub(super) keep_alive: Option<KeepAlive>,
    pub(super) reconnect: Option<Reconnect>,
    /// Whether tries to restore a connection never end, whatever `reconnect` says.
    pub(super) endless: Arc<AtomicBool>,
    pub(super) tracing: Tracing,
}

impl Config {
    pub(super) fn new(info: Implementation) -> Self {
        Self {
            info,
            handlers: Handlers::default(),
            max_rounds: MAX_QUESTION_ROUNDS,
            revisions: Revisions::ALL,
            remembered: None,
            probe_timeout: PROBE_TIMEOUT,
            timeouts: Timeouts::default(),
            max_pages: MAX_PAGES,
            limits: Limits {
                drain: CLOSE_TIMEOUT,
                ..Limits::default()
            },
            keep_alive: Some(KeepAlive::default()),
            reconnect: Some(Reconnect::default()),
            endless: Arc::default(),
            tracing: Tracing::default(),
        }
    }
}
