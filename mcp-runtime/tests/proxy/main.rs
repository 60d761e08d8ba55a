//! Proxies: what passes within an era and between the eras, connections, and several servers as one.

#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

mod behind;
mod connections;
mod handshake;
mod handshake_client;
#[cfg(all(feature = "http-server", feature = "http-client"))]
mod http;
mod listening;
mod logins;
#[cfg(all(feature = "http-server", feature = "http-client"))]
#[allow(dead_code)]
#[path = "../http/scripted.rs"]
mod scripted;
mod several;
mod stateless;
mod stateless_client;
#[path = "../support/mod.rs"]
mod support;
mod tickets;
