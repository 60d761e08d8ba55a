//! The server's side: by itself, or inside a program that serves HTTP already.

mod attend;
mod listen;
mod service;

pub use listen::{WebSocketServer, websocket_server};
pub use service::{WebSocketService, websocket_service};
