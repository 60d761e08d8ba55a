//! Tests that run over every transport, and tests of single transports.

#![allow(
    deprecated,
    reason = "deprecated parts of the protocol are tested until they are removed"
)]
#![allow(clippy::unwrap_used, clippy::duplicate_mod)]

#[cfg(feature = "http-server")]
mod dribbling_http;
#[cfg(all(unix, feature = "stdio"))]
mod dribbling_stdio;
mod dribbling_tcp;
#[cfg(all(feature = "http-server", feature = "websocket"))]
mod dribbling_websocket;
#[cfg(all(
    feature = "http-client",
    feature = "http-server",
    feature = "websocket"
))]
mod encrypted;
#[cfg(all(
    feature = "http-client",
    feature = "http-server",
    feature = "websocket"
))]
mod faults;
mod gateway;
mod in_memory;
#[cfg(feature = "http-server")]
mod over_http;
#[cfg(all(unix, feature = "stdio"))]
mod over_stdio;
#[cfg(all(unix, feature = "stdio"))]
mod over_stdio_sockets;
mod over_tcp;
#[cfg(unix)]
mod over_unix;
#[cfg(all(feature = "http-server", feature = "websocket"))]
mod over_websocket;
#[cfg(all(feature = "http-server", feature = "socket"))]
mod settings;
#[cfg(all(unix, feature = "client"))]
mod sockets;
#[path = "../support/mod.rs"]
mod support;
#[cfg(all(
    feature = "http-client",
    feature = "http-server",
    feature = "websocket"
))]
mod websocket;
#[cfg(all(feature = "client", feature = "websocket"))]
mod websocket_close;
