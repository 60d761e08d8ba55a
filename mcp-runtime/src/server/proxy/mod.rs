//! Proxies: servers whose entries lead to another server, through a client.
//!
//! `upstream` is the other server. Its lists are requested at first, and again when it announces a
//! change or the connection is replaced (`subscription`). `entries` makes the entries, and
//! `questions` forwards its questions and log messages to the right callers.

mod entries;
#[allow(
    clippy::module_inception,
    reason = "the type's name is the user's word"
)]
mod proxy;
mod questions;
mod subscription;
mod upstream;

pub use proxy::Proxy;
