//! TCP and Unix sockets: the framing of stdio, for many clients at once.
//!
//! `tcp` and `unix` listen; [`tcp_client`] and `unix_client` connect. Messages are lines of JSON
//! (2026-07-28, "stdio", which allows any reliable stream), in both eras. Each client has a
//! connection of its own, and all share one server.
//!
//! # Security
//!
//! A TCP connection has neither authentication nor encryption: everyone who reaches the port is
//! served. Listen on the loopback interface, which admits any user and any program of the machine,
//! or put a proxy in front that authenticates its clients. A Unix socket admits those who may write
//! to its file, by default its owner alone, and gives handlers the identity of the caller.

mod client;
#[cfg(feature = "server")]
mod tcp;
#[cfg(all(unix, feature = "server"))]
mod unix;

pub use client::{TcpClient, tcp_client};
#[cfg(unix)]
pub use client::{UnixClient, unix_client};
#[cfg(feature = "server")]
pub use tcp::{Tcp, tcp};
#[cfg(all(unix, feature = "server"))]
pub use unix::{PeerCredentials, Unix, unix};
