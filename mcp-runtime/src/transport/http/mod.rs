//! MCP over HTTP: Streamable HTTP as all revisions from 2025-03-26 on have it.
//!
//! [`http()`] serves at an address, [`http_service`] inside a program that serves HTTP already. One
//! URL serves both eras; each POST belongs to one of them. A stateless request is served within its
//! own exchange; a handshake opens a session, to which later requests belong. An answer is plain
//! JSON unless something is sent before it. With the feature `sse`, clients of 2024-11-05 are
//! served as well, by HTTP+SSE.
//!
//! Metrics are events of the target `mcp_runtime::http`, at level debug, in the form that the
//! metrics layer of `tracing-opentelemetry` reads: `monotonic_counter.http_requests` with the
//! `status`, `counter.http_sessions` and `counter.http_connections`. Each MCP request is a span
//! with its outcome and time.

#[cfg(feature = "http-client")]
pub mod client;
#[cfg(feature = "http-server")]
mod exchange;
mod headers;
#[cfg(feature = "http-server")]
mod server;
#[cfg(feature = "http-server")]
mod session;
mod sse;

#[cfg(all(feature = "http-server", feature = "sse"))]
pub use exchange::SseService;
#[cfg(feature = "http-server")]
pub use {
    crate::error::AccessDenied,
    crate::server::Principal,
    exchange::{
        AccessExpires, AccessRevalidation, EventStore, HttpRequest, MemoryEventStore, StoredEvent,
    },
    server::{
        AccessPolicy, Http, HttpOptions, HttpService, PeerAddr, ResponseBody, ResponseFuture,
        ResponseHeaders, ScopeCheck, ServiceGuard, http, http_service,
    },
    session::{MemorySessionStore, SessionId, SessionRecord, SessionStore, StoreError},
};

#[cfg(feature = "http-server")]
pub(crate) use exchange::Exchange;
#[cfg(all(feature = "http-server", feature = "websocket"))]
pub(super) use {
    exchange::Access,
    server::{HttpState, Route, admit, authorize},
};
