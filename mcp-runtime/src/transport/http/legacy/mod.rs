//! HTTP+SSE, the transport of 2024-11-05: the client opens one stream, on which everything comes
//! that the server sends, and posts its own messages to the address that the stream begins with.

mod service;
mod stream;

pub use service::SseService;
