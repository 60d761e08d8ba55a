//! Ways to a server: what a test says in lines goes on over a transport, and what comes back becomes
//! lines again.

#[cfg(feature = "http-server")]
pub(crate) mod http;
mod pump;
pub(crate) mod socket;
#[cfg(all(unix, feature = "stdio"))]
pub(crate) mod stdio;
#[cfg(all(feature = "http-server", feature = "websocket"))]
pub(crate) mod websocket;
