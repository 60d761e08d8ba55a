//! Sockets: the framing of stdio, for many clients at once.
//!
//! `tcp` and `unix` say where a server listens; [`tcp_client`] and `unix_client` connect to one.
//! Either way messages are lines of JSON (2026-07-28, "stdio", which allows any reliable stream), in
//! both eras. Each client has a connection of its own, and all share one server.
//!
//! # Security
//!
//! There is neither authentication nor encryption on a TCP connection: whoever reaches the port is
//! served. Listen on the loopback interface, where any user and any program of the machine is let
//! in, or put a proxy in front that knows its clients. A Unix socket lets in those who may write to
//! its file, which is its owner alone unless said otherwise, and tells handlers who calls.

mod client;
#[cfg(feature = "server")]
mod door;
mod stream;
#[cfg(feature = "server")]
mod tcp;
#[cfg(unix)]
mod unix;

pub use client::{TcpClient, tcp_client};
#[cfg(feature = "server")]
pub use tcp::{Tcp, tcp};
#[cfg(unix)]
pub use unix::client::{UnixClient, unix_client};
#[cfg(all(unix, feature = "server"))]
pub use unix::{Caller, Unix, unix};
