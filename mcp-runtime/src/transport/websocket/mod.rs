//! MCP over WebSocket: one JSON-RPC message in each text message, subprotocol `mcp`.
//!
//! The specification leaves this transport to custom agreement; both eras run over it as over any
//! stream. [`websocket`] connects to a server; [`WebSocket`] is a connection that is open already.
//! With the feature `http-server`, whose checks of hosts and origins it shares, `websocket_server`
//! listens for clients, and `websocket_service` serves them inside a program that serves HTTP
//! already.

mod client;
mod frames;
#[cfg(feature = "http-server")]
mod server;

pub use client::{WebSocketUrl, websocket};
pub use frames::WebSocket;
#[cfg(feature = "http-server")]
pub use server::{WebSocketServer, WebSocketService, websocket_server, websocket_service};
