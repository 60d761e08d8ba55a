//! HTTP requests and their responses.
//!
//! A POST brings one message or, in a session, a batch. Each POST is served within its own
//! [`Exchange`]: alone in the stateless era, and within its session after a handshake. The response
//! is one message as JSON, or a stream of events. A GET opens a stream without a request.

pub(super) mod event_stream;
pub(super) mod events;
#[allow(
    clippy::module_inception,
    reason = "the module is named after its main type"
)]
pub(super) mod exchange;
pub(super) mod expiry;
pub(super) mod handshake;
mod header_validation;
#[cfg(feature = "sse")]
mod legacy;
pub(super) mod post;
pub(super) mod stream;

pub(crate) use self::exchange::Exchange;
pub use events::{EventStore, MemoryEventStore, StoredEvent};
pub use exchange::HttpRequest;
#[cfg(feature = "websocket")]
pub(crate) use expiry::Access;
pub use expiry::{AccessExpires, AccessRevalidation};
#[cfg(feature = "sse")]
pub use legacy::SseService;
