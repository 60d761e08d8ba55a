//! Clients: connecting to a server and calling it.
//!
//! [`Client::builder`] has the settings; [`ClientBuilder::connect`] opens a transport, detects the
//! era of the server and negotiates. Requests are [`Call`]s: await one to send it.

mod builder;
mod cache;
mod call;
mod channel;
mod claims;
mod config;
mod connect;
mod connection;
mod error;
mod extension;
mod handle;
mod input;
mod layers;
mod pages;
mod paging;
#[cfg(feature = "server")]
mod proxy;
mod raw_call;
mod requests;
mod result;
mod source;
mod state;
mod status;
#[cfg(feature = "stream")]
mod stream;
mod subscription;
mod supervisor;
#[cfg(feature = "http-client")]
mod url;
#[cfg(feature = "validation")]
mod validate;

pub use builder::ClientBuilder;
pub use cache::ResponseCache;
pub use call::{Call, ResultConverter};
pub use config::{KeepAlive, Reconnect};
pub use error::ConnectError;
pub use extension::ClientExtension;
pub use handle::Client;
pub use input::{ElicitReply, Form, Page, Roots};
pub use pages::{ListRequest, Pages};
#[doc(hidden)]
pub use requests::{CallOutput, PromptArguments};
pub use requests::{TypedCall, escape_template};
pub use state::Notifications;
pub use status::{Status, StatusWatch, TransportState};
pub use subscription::Subscription;
#[cfg(feature = "server")]
pub(crate) use subscription::SubscriptionEvent;
