//! MCP over WebSocket: one JSON-RPC message in each text message, subprotocol `mcp`.
//!
//! The specification does not define this transport but allows custom ones; both eras work over it
//! as over any stream. [`websocket`] connects to a server, and [`WebSocket`] is a connection that
//! is already open. With the feature `http-server`, `websocket_server` listens for clients, and
//! `websocket_service` serves them inside a program that already serves HTTP; both check hosts and
//! origins as HTTP does.

mod client;
mod frames;
#[cfg(feature = "http-server")]
mod server;

pub use client::{WebSocketUrl, websocket};
pub use frames::WebSocket;
#[cfg(feature = "http-server")]
pub use server::{WebSocketServer, WebSocketService, websocket_server, websocket_service};
