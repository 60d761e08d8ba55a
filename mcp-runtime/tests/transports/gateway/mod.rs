//! Gateways to a server: they send the lines of a test over a transport, and return the server's
//! messages as lines.

#[cfg(feature = "http-server")]
pub(crate) mod http;
mod pump;
pub(crate) mod socket;
#[cfg(all(unix, feature = "stdio"))]
pub(crate) mod stdio;
#[cfg(all(feature = "http-server", feature = "websocket"))]
pub(crate) mod websocket;
