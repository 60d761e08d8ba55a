//! Layers around requests: auditing, redaction, limits and caches, for servers and clients alike.
//!
//! A layer is a [`tower_layer::Layer`] whose service takes an [`McpRequest`] and returns an
//! [`McpResponse`]; [`from_fn`] turns an async function into one. A layer can wrap each request
//! that a server has admitted ([`ServerBuilder::layer`](crate::ServerBuilder::layer)), each call of
//! a client ([`ClientBuilder::layer`](crate::ClientBuilder::layer)), or a single tool, prompt or
//! resource (`layer` of their builders and entries). `RateLimit`, with the feature `layer`, is
//! ready to use.
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
//! The layer that is added first is the outermost.

#[cfg(feature = "layer")]
mod rate_limit;
mod request;
mod response;
mod stack;

#[cfg(feature = "server")]
use crate::server::{Answer, Context};
#[cfg(not(feature = "server"))]
use no_server::{Answer, Context};
#[cfg(feature = "layer")]
pub use rate_limit::{Buckets, Rate, RateLimit, RateLimited, Taken};
pub(crate) use request::Innermost;
pub use request::McpRequest;
pub use response::{BoxError, InvalidResponse, McpResponse, TooManyRequests};
pub(crate) use response::{McpResponseBody, TypedResult};
pub(crate) use stack::Stack;
pub use stack::{Next, RequestLayer, RequestService, from_fn};

/// Uninhabited replacements for the server's types, in builds without servers.
#[cfg(not(feature = "server"))]
mod no_server {
    use std::borrow::Cow;
    use std::net::SocketAddr;

    use crate::values::Values;

    #[derive(Clone, Debug)]
    pub enum Context {}

    impl Context {
        pub(super) fn principal(&self) -> Option<&str> {
            match *self {}
        }

        pub(super) fn connection(&self) -> (u64, Option<SocketAddr>) {
            match *self {}
        }

        pub(super) fn set_values(&mut self, _: &Values) {
            match *self {}
        }
    }

    #[derive(Debug)]
    pub(crate) enum Answer {}

    impl Answer {
        pub(super) fn json(&self) -> serde_json::Result<Cow<'_, str>> {
            match *self {}
        }

        pub(super) fn is_error(&self) -> bool {
            match *self {}
        }

        pub(super) fn is_input_required(&self) -> bool {
            match *self {}
        }
    }
}
