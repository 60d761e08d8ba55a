//! MCP over HTTP: Streamable HTTP as all revisions from 2025-03-26 on have it.
//!
//! [`http()`] serves at an address, [`http_service`] inside a program that serves HTTP already. One
//! URL serves both eras: each POST is asked once which it belongs to. A stateless request is
//! served within its own exchange; a handshake opens a session, to which later requests belong.
//! An answer is plain JSON unless something is sent before it. Clients of 2024-11-05, which know only
//! HTTP+SSE, are served beside the others with the feature `sse`.
//!
//! What happens can be counted: events of the target `mcp_runtime::http`, at level debug, carry
//! `monotonic_counter.http_requests` with the `status`, `counter.http_sessions` and
//! `counter.http_connections`, as the metrics layer of `tracing-opentelemetry` reads them; and each
//! MCP request is a span with its outcome and time.

mod body;
mod connection;
mod cors;
mod era;
mod event_stream;
mod events;
mod exchange;
mod figures;
mod get;
mod guard;
mod handshake;
mod headers;
#[cfg(feature = "sse")]
mod legacy;
mod mirror;
mod options;
mod patience;
mod permits;
mod post;
mod principal;
mod reading;
mod rejection;
mod request;
mod response;
mod server;
mod service;
mod session;
mod sessions;
#[cfg(feature = "websocket")]
mod shared;
mod sse;
mod state;
mod stateless;
mod status;
mod stream;
mod unread;
mod work;

pub use body::ResponseBody;
#[cfg(feature = "websocket")]
pub(super) use connection::Route;
pub use events::{EventStore, MemoryEvents, StoredEvent};
#[cfg(feature = "websocket")]
pub(super) use exchange::Arrival;
#[cfg(feature = "websocket")]
pub(super) use guard::check as check_caller;
#[cfg(feature = "sse")]
pub use legacy::SseService;
pub use options::HttpOptions;
pub use principal::Principal;
#[cfg(feature = "websocket")]
pub(super) use rejection::Rejection;
pub use request::HttpRequest;
pub use server::{Http, http};
pub use service::{HttpService, ResponseFuture, http_service};
pub use session::{MemorySessions, SessionId, SessionRecord, SessionStore, SessionStoreError};
