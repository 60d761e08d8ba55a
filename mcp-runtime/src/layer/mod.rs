//! Layers around requests: audit, redaction, limits, caches, for servers and clients alike.
//!
//! A layer is a [`tower_layer::Layer`] whose service takes an [`McpRequest`] and returns an
//! [`McpResponse`]; [`from_fn`] makes one of an async function. It stands around each request that
//! a server has admitted ([`ServerBuilder::layer`](crate::ServerBuilder::layer)), around each call
//! of a client ([`ClientBuilder::layer`](crate::ClientBuilder::layer)), or around one tool, prompt
//! or resource (`layer` of their builders and entries). `RateLimit`, with the
//! feature `layer`, is one that is ready for use.
//!
//! ```
//! use mcp_runtime::Server;
//! use mcp_runtime::layer::{McpRequest, Next, from_fn};
//!
//! let mut server = Server::builder();
//! server.layer(from_fn(async |request: McpRequest, next: Next| {
//!     let method = request.method().to_owned();
//!     let outcome = next.run(request).await;
//!     println!("{method}: {}", if outcome.is_ok() { "answered" } else { "failed" });
//!     outcome
//! }));
//! # drop(server.build());
//! ```
//!
//! The first layer that is added is the outermost.

#[cfg(feature = "layer")]
mod buckets;
mod error;
mod from_fn;
#[cfg(not(feature = "server"))]
mod no_server;
#[cfg(feature = "layer")]
mod rate_limit;
mod request;
mod response;
mod stack;

#[cfg(feature = "server")]
use crate::server::{Answer, Context};
#[cfg(feature = "layer")]
pub use buckets::{Buckets, Rate, Taken};
pub use error::{BoxError, TooManyRequests};
pub use from_fn::{Next, from_fn};
#[cfg(not(feature = "server"))]
use no_server::{Answer, Context};
#[cfg(feature = "layer")]
pub use rate_limit::{RateLimit, RateLimited};
pub(crate) use request::Innermost;
pub use request::McpRequest;
pub use response::{InvalidResponse, McpResponse};
pub(crate) use response::{McpResponseBody, TypedResult};
pub(crate) use stack::Stack;
pub use stack::{RequestLayer, RequestService};
