//! The client's side: connecting to a server and calling it.
//!
//! [`Client::builder`] says how the client presents itself; [`ClientBuilder::connect`] opens a
//! transport, finds out how the server wants to be spoken to and agrees with it. What is then
//! called is a [`Call`]: await it to send it.

mod builder;
mod cache;
mod call;
mod config;
mod connect;
mod dispatcher;
mod error;
mod handle;
#[cfg(feature = "stream")]
mod items;
mod keep_alive;
mod link;
mod memory;
mod observers;
mod offers;
mod opener;
mod output;
mod pages;
#[cfg(test)]
mod pair;
#[cfg(feature = "server")]
mod proxied;
mod questions;
mod reconnect;
mod role;
mod session;
mod slot;
mod status;
#[cfg(feature = "stream")]
mod stream;
mod subscription;
mod supervisor;
mod tools;
mod tracing;
#[cfg(feature = "validation")]
mod validate;

pub use builder::ClientBuilder;
pub use cache::ResponseCache;
pub use call::Call;
pub use dispatcher::Notifications;
pub use error::ConnectError;
pub use handle::Client;
#[cfg(feature = "stream")]
pub use items::Items;
pub use keep_alive::KeepAlive;
pub use observers::Changed;
pub use pages::{ListRequest, Pages};
pub use questions::{ElicitReply, Form, Page, Roots};
pub use reconnect::Reconnect;
pub(crate) use slot::Connections;
pub use status::{Status, StatusWatch, TransportState};
#[cfg(feature = "stream")]
pub use stream::{NotificationStream, SubscriptionStream};
pub use subscription::Subscription;
#[cfg(feature = "server")]
pub(crate) use subscription::{SubscriptionEvent, is_lost};
pub use tools::TypedCall;
#[cfg(feature = "validation")]
pub use validate::ValidatedCall;
