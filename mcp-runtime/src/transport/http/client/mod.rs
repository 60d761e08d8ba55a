//! Client of MCP over HTTP: Streamable HTTP of all revisions from 2025-03-26 on, and HTTP+SSE.
//!
//! [`http_client`] is a [`Transport`](crate::transport::Transport): each message becomes a request
//! of its own. The version, the session and the annotated arguments of tools, which headers repeat,
//! are read off the messages that pass.

mod connection;
mod connector;
#[cfg(feature = "sse")]
mod legacy;
#[cfg(not(feature = "sse"))]
#[path = "no_legacy.rs"]
mod legacy;
mod outgoing;
mod remote;
mod response;

pub use connection::{HttpReader, HttpUrl, HttpWriter, http_client};
