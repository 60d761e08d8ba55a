//! Layers around requests: audit, redaction, limits, caches, for servers and clients alike.
//!
//! A layer is a [`tower_layer::Layer`] whose service takes an [`McpRequest`] and returns an
//! [`McpResponse`]; [`from_fn`] makes one of an async function. It stands around each request that
//! a server has admitted ([`ServerBuilder::layer`](crate::ServerBuilder::layer)), around each call
//! of a client ([`ClientBuilder::layer`](crate::ClientBuilder::layer)), or around one tool, prompt
//! or resource (`layer` of their builders and entries). [`RateLimit`] is one that is ready for use.
//!
//! ```
//! use mcp_runtime::Server;
//! use mcp_runtime::layer::{McpRequest, Next, RateLimit, from_fn};
//! use std::time::Duration;
//!
//! let mut server = Server::builder();
//! server.layer(from_fn(async |request: McpRequest, next: Next| {
//!     let method = request.method().to_owned();
//!     let outcome = next.run(request).await;
//!     println!("{method}: {}", if outcome.is_ok() { "answered" } else { "failed" });
//!     outcome
//! }));
//! server.layer(RateLimit::per_principal(20, Duration::from_secs(1)));
//! # drop(server.build());
//! ```
//!
//! The first layer that is added is the outermost.

mod buckets;
mod error;
mod from_fn;
mod next;
mod rate_limit;
mod request;
mod response;
#[cfg_attr(not(feature = "server"), path = "no_server.rs")]
mod with_server;

pub use crate::connection::BoxFuture;
pub use buckets::{Buckets, Rate, Taken};
pub use error::{BoxError, InvalidResponse, TooManyRequests};
pub use from_fn::{FromFn, FromFnService, from_fn};
pub(crate) use next::Stack;
pub use next::{Next, RequestLayer};
pub use rate_limit::{RateLimit, RateLimited};
pub(crate) use request::Innermost;
pub use request::McpRequest;
pub use response::McpResponse;
pub(crate) use response::{Body, TypedResult};
#[cfg(feature = "server")]
pub use with_server::ToolExtension;
