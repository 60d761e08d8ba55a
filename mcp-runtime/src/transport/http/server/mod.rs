//! The HTTP server around the protocol: listening, limits, checks of callers, bodies.

pub(super) mod body;
pub(super) mod connection;
pub(super) mod cors;
pub(super) mod guard;
pub(super) mod listener;
pub(super) mod metrics;
pub(super) mod options;
pub(super) mod permits;
pub(super) mod principal;
pub(super) mod rejection;
pub(super) mod response;
pub(super) mod service;
#[cfg(feature = "websocket")]
mod shared;
pub(super) mod state;
pub(super) mod status;
mod timeout_io;
pub(super) mod unread;
pub(super) mod write_timeout;
