//! MCP over HTTP: the transport Streamable HTTP in all revisions since 2025-03-26.
//!
//! [`http()`] serves at an address, [`http_service`] inside a program that already serves HTTP. One
//! URL serves both eras, and each POST belongs to one of them. A stateless request is served within
//! its own exchange; a handshake opens a session, to which later requests belong. The answer to a
//! request is plain JSON unless other messages precede it. With the feature `sse`, clients of
//! revision 2024-11-05 are also served, over HTTP+SSE.
//!
//! Metrics are events with the target `mcp_runtime::http` at level debug, in the form that the
//! metrics layer of `tracing-opentelemetry` reads: `monotonic_counter.http_requests` with the
//! `status`, `counter.http_sessions` and `counter.http_connections`. Each MCP request is a span
//! with its outcome and duration.

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
    session::SessionId,
};

#[cfg(feature = "http-server")]
pub(crate) use exchange::Exchange;
#[cfg(all(feature = "http-server", feature = "websocket"))]
pub(super) use {
    exchange::Access,
    server::{HttpState, Route, admit, authorize},
};
