//! Figures for whoever counts: events of the target `mcp_runtime::http`, at level debug, whose
//! fields are named as the metrics layer of `tracing-opentelemetry` reads them.

use http::StatusCode;
use tracing::Level;

const TARGET: &str = "mcp_runtime::http";

/// A request was answered, or its answer begins.
pub(in crate::transport::http) fn answered(status: StatusCode) {
    let status = status.as_u16();
    tracing::event!(target: TARGET, Level::DEBUG, monotonic_counter.http_requests = 1_u64, status);
}

/// So many sessions more are open in this process, or less.
pub(in crate::transport::http) fn sessions(more: i64) {
    tracing::event!(target: TARGET, Level::DEBUG, counter.http_sessions = more);
}

/// A connection that is counted until this is dropped.
pub(in crate::transport::http) struct Connection(());

impl Connection {
    pub(in crate::transport::http) fn opened() -> Self {
        tracing::event!(target: TARGET, Level::DEBUG, counter.http_connections = 1_i64);
        Self(())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        tracing::event!(target: TARGET, Level::DEBUG, counter.http_connections = -1_i64);
    }
}
