//! The HTTP server around the protocol: listening, limits, checks of callers, bodies.

pub(super) mod access;
pub(super) mod body;
pub(super) mod connection;
#[cfg_attr(
    not(any(feature = "sse", feature = "websocket")),
    allow(dead_code, reason = "other transports add their routes")
)]
pub(super) mod listener;
pub(super) mod metrics;
pub(super) mod options;
pub(super) mod permits;
pub(super) mod response;
pub(super) mod service;
pub(super) mod state;
mod timeout_io;
pub(super) mod unread;
pub(super) mod write_timeout;
