//! A server that stands for another one, which is reached through a client.
//!
//! `upstream` is that server: it is asked what it has, and asked again when it announces a change
//! or is another one (`subscription`). `entries` lead there, and `questions` forwards what that
//! server asks and logs to the callers whom it concerns.

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
