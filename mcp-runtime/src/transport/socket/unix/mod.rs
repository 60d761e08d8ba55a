//! Unix sockets.

pub(super) mod client;
#[cfg(feature = "server")]
mod file;
#[cfg(feature = "server")]
mod server;

#[cfg(feature = "server")]
pub use server::{Caller, Unix, unix};
