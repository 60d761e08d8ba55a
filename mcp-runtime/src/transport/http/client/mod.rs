//! The client's side of MCP over HTTP: Streamable HTTP, as all revisions from 2025-03-26 on have it.
//!
//! [`http_client`] is a transport like any other. What it has to know of the protocol it reads off
//! the messages that pass: which version and session they belong to, and which arguments a server
//! wants repeated in headers.

mod annotations;
mod connection;
mod dial;
mod events;
mod exchange;
mod fault;
mod frames;
mod known;
#[cfg(feature = "sse")]
mod legacy;
#[cfg(not(feature = "sse"))]
#[path = "no_legacy.rs"]
mod legacy;
mod listen;
mod outgoing;
mod reference;
mod remote;
mod retry;
mod url;

pub use frames::{HttpReader, HttpWriter};
pub use url::{HttpUrl, http_client};
