//! Clients: connecting to a server and calling it.
//!
//! [`Client::builder`] collects the settings, and [`ClientBuilder::connect`] opens a transport,
//! detects the era of the server and negotiates a revision. Methods that send a request return a
//! [`Call`], which is sent when it is awaited.

mod builder;
mod cache;
mod call;
mod channel;
#[allow(
    clippy::module_inception,
    reason = "the module is named after the public type"
)]
mod client;
mod config;
mod connect;
mod error;
mod extension;
mod handlers;
mod input;
mod layers;
mod pages;
mod paging;
mod raw_call;
mod relay;
mod relay_config;
mod requests;
mod result;
mod source;
mod state;
#[cfg(feature = "stream")]
mod stream;
mod subscription;
mod supervisor;

pub use builder::ClientBuilder;
pub use cache::ResponseCache;
#[cfg(feature = "server")]
pub(crate) use cache::is_cacheable;
pub use call::{Call, CallOutput, ResultConverter, TypedCall};
pub use client::Client;
pub use config::{KeepAlive, Reconnect};
pub use error::ConnectError;
pub use extension::ClientExtension;
pub use input::{ElicitReply, Form, Page, Roots};
pub use pages::{ListRequest, Pages};
#[cfg(feature = "server")]
pub(crate) use relay_config::{RelayConfig, request_meta};
pub use requests::{PromptArguments, escape_template};
pub use state::{Notifications, Status, StatusWatch, TransportState};
pub use subscription::Subscription;
pub(crate) use subscription::all_changes;
