//! TCP and Unix sockets, with the framing of stdio, for many clients at the same time.
//!
//! `tcp` and `unix` listen; [`tcp_client`] and `unix_client` connect. Messages are lines of JSON in
//! both eras; the specification allows stdio's framing over any reliable stream (2026-07-28,
//! "stdio"). Each client has its own connection, and all clients share one server.
//!
//! # Security
//!
//! A TCP connection has neither authentication nor encryption, so everyone who reaches the port is
//! served. Listen on the loopback interface, which admits every user and program of the machine, or
//! put a proxy in front that authenticates its clients. A Unix socket admits only those who may
//! write to its file, by default its owner, and handlers learn the caller's identity.

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
