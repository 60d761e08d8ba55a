//! The client's side: connecting to a server and calling it.
//!
//! [`Client::builder`] says how the client presents itself; [`ClientBuilder::connect`] opens a
//! transport, finds out how the server wants to be spoken to and agrees with it. What is then
//! called is a [`Call`]: await it to send it.

mod builder;
mod call;
mod config;
mod connect;
mod error;
mod handle;
mod link;
mod output;
mod pages;
mod role;
mod session;
mod status;
mod tools;

pub use builder::ClientBuilder;
pub use call::Call;
pub use error::ConnectError;
pub use handle::Client;
pub use status::{Status, StatusWatch, TransportState};
pub use tools::TypedCall;
