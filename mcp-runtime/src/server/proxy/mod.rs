//! Proxies: servers whose entries forward to another server through a client.
//!
//! `upstream` is the server behind the proxy. The proxy requests the lists of this server at the
//! start, and again when the server announces a change or the connection is replaced
//! (`subscription`). `entries` makes the entries, and `questions` forwards the server's questions
//! and log messages to the right callers.

mod entries;
#[allow(
    clippy::module_inception,
    reason = "the file has the name of its public type"
)]
mod proxy;
mod questions;
mod subscription;
mod upstream;

pub use proxy::Proxy;
