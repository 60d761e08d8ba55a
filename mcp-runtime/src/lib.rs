//! A fast, small and faithful runtime for the Model Context Protocol.
//!
//! Annotate functions, and get a server that speaks all five revisions of the protocol:
//!
//! ```no_run
//! use mcp_runtime::prelude::*;
//!
//! struct Calculator;
//!
//! #[mcp_server]
//! impl Calculator {
//!     /// Adds two whole numbers.
//!     #[tool]
//!     fn add(&self, a: i64, b: i64) -> i64 {
//!         a + b
//!     }
//! }
//!
//! #[mcp_runtime::main]
//! async fn main() -> Result<(), ServeError> {
//!     Calculator.serve(stdio()).await
//! }
//! ```
//!
//! A client starts a server, or reaches one, and finds out by itself how to speak to it:
//!
//! ```no_run
//! # #[cfg(feature = "client")]
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use mcp_runtime::Client;
//! use mcp_runtime::transport::ChildProcess;
//! use serde_json::json;
//!
//! let client = Client::builder("my-app", "1.0")
//!     .connect(ChildProcess::new("calculator"))
//!     .await?;
//! let sum: i64 = client.call("add", json!({"a": 2, "b": 3})).await?;
//! assert_eq!(sum, 5);
//! client.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! # Where to begin
//!
//! - [`mcp_server`], [`tool`], [`prompt`] and [`resource`] make servers of functions;
//!   [`Server::builder`] makes them of closures, and changes, mounts and serves them.
//! - A question to the user is a parameter of a [`tool`], `#[elicit("…")]`, with a form of
//!   [`Elicit`](derive@Elicit).
//! - [`Context`] is what a handler knows of its call: by it a handler reports progress, logs, and
//!   asks what depends on what it found out.
//! - [`transport`] has standard input and output, sockets, HTTP, WebSocket and memory, and is where a
//!   transport of your own begins.
//! - [`Client`] calls servers, answers their questions and keeps connections alive.
//! - [`testing`] joins a server and a client for your tests.
//! - [`types`] are the messages themselves.
//!
//! # Features
//!
//! `macros`, `server`, `socket` and `stdio` are on unless switched off. A server without
//! transports, by `macros` and `server` alone, needs no I/O of the operating system, and serves a
//! [transport of your own](transport::Transport).
//!
//! | feature | what it adds |
//! |---|---|
//! | `macros` | the attributes |
//! | `server` | [`Server`] and everything behind it |
//! | `stdio` | standard input and output as a transport |
//! | `socket` | TCP and Unix sockets as transports |
//! | `client` | [`Client`], and servers as child processes |
//! | `http-server`, `http-client` | Streamable HTTP |
//! | `sse` | HTTP+SSE of 2024-11-05, with either of the two |
//! | `websocket` | one message a text frame; for servers together with `http-server` |
//! | `seal` | encrypts what a call has to know between its rounds; part of `http-server` |
//! | `layer` | [`RateLimit`](layer::RateLimit), a [layer] that limits the rate of requests |
//! | `stream` | lists, subscriptions and progress as `Stream`s |
//! | `log-layer` | forwards what is logged with `tracing` to clients |
//! | `validation` | checks JSON against schemas that are written by hand: the [arguments](server::tools::ToolBuilder::input_schema) of tools, their [results](server::tools::ToolEntry::new) in debug builds, and structured results in the client |
//! | `pattern` | patterns for the text arguments of tools |
//! | `testing` | clients in memory for tests, and a record of what was said |
#![cfg_attr(docsrs, feature(doc_cfg))]
// Compiles the programs of these documents. The pages of `docs/` below this crate are part of its documentation:
// `links.txt` precedes each page, so that its links lead to items here, and to files on a forge.
#![cfg_attr(
    all(doctest, feature = "http-client", feature = "http-server"),
    doc = include_str!("../../docs/client.md"),
    doc = include_str!("../../docs/deployment.md"),
    doc = include_str!("../../docs/embedding.md"),
    doc = include_str!("../../docs/security.md")
)]
#![cfg_attr(
    all(doctest, feature = "http-server", feature = "layer", feature = "testing"),
    doc = include_str!("../../docs/coming-from.md"),
    doc = include_str!("../../docs/composition.md"),
    doc = include_str!("../../docs/context.md"),
    doc = include_str!("../../docs/errors.md"),
    doc = include_str!("../../docs/first-server.md"),
    doc = include_str!("../../docs/questions.md"),
    doc = include_str!("../../docs/testing.md")
)]
#![cfg_attr(
    all(
        doctest,
        feature = "http-client",
        feature = "http-server",
        feature = "sse",
        feature = "testing",
        feature = "validation"
    ),
    doc = include_str!("../../docs/features.md")
)]
#![cfg_attr(
    all(doctest, feature = "layer", feature = "server"),
    doc = include_str!("../../docs/layers.md")
)]
// Builds with all features check for dead code.
#![cfg_attr(
    not(all(
        unix,
        feature = "client",
        feature = "http-client",
        feature = "http-server",
        feature = "layer",
        feature = "socket",
        feature = "sse",
        feature = "websocket"
    )),
    allow(
        dead_code,
        unreachable_pub,
        unused_imports,
        reason = "each feature uses a part of the shared modules"
    )
)]

#[cfg(feature = "server")]
#[doc(hidden)]
pub mod __private;
#[cfg(feature = "server")]
mod advice;
#[cfg(feature = "client")]
pub mod client;
mod connection;
mod error;
pub mod layer;
mod limits;
#[doc(hidden)]
pub mod log;
#[doc(hidden)]
pub mod nearest;
#[cfg(feature = "validation")]
mod output_schema;
#[cfg(feature = "server")]
pub mod prelude;
mod protocol;
#[cfg(feature = "server")]
mod schema;
#[cfg(feature = "server")]
pub mod server;
mod sync;
#[cfg(feature = "testing")]
pub mod testing;
mod trace_context;
pub mod transport;
mod values;

#[cfg(any(feature = "http-client", feature = "http-server"))]
#[doc(no_inline)]
pub use ::http;
#[cfg(feature = "client")]
pub use client::{Call, Client, ClientBuilder, ConnectError, Status};
pub use connection::{BoxFuture, Peer};
pub use error::{CallError, ChildExited, HttpError, ProtocolError, ServeError, Unavailable};
#[cfg(feature = "macros")]
#[doc = include_str!("../docs/links.txt")]
/// Makes a type a form, or a choice in a form, that a user can be asked to fill in.
///
#[doc = include_str!("../docs/elicit.md")]
pub use mcp_macros::Elicit;
#[cfg(feature = "macros")]
#[doc = include_str!("../docs/links.txt")]
/// Makes a type a parameter that comes from the context of a call, such as the caller.
///
#[doc = include_str!("../docs/from_context.md")]
pub use mcp_macros::FromContext;
#[cfg(feature = "macros")]
pub use mcp_macros::main;
#[cfg(feature = "macros")]
#[doc = include_str!("../docs/links.txt")]
/// Makes a server of an `impl` block or a module.
///
#[doc = include_str!("../docs/mcp_server.md")]
pub use mcp_macros::mcp_server;
#[cfg(feature = "macros")]
#[doc = include_str!("../docs/links.txt")]
/// Makes a function a prompt.
///
#[doc = include_str!("../docs/prompts.md")]
pub use mcp_macros::prompt;
#[cfg(feature = "macros")]
#[doc = include_str!("../docs/links.txt")]
/// Makes a function a resource, or a template of resources.
///
#[doc = include_str!("../docs/resources.md")]
pub use mcp_macros::resource;
#[cfg(feature = "macros")]
#[doc = include_str!("../docs/links.txt")]
/// Makes a function a tool that models can call.
///
#[doc = include_str!("../docs/tools.md")]
#[doc = include_str!("../docs/values.md")]
pub use mcp_macros::tool;
#[cfg(feature = "macros")]
#[doc = include_str!("../docs/links.txt")]
/// Makes a method run when the server starts, when a client has connected, or at the end.
///
#[doc = include_str!("../docs/hooks.md")]
pub use mcp_macros::{on_initialized, on_shutdown, on_start};
pub use mcp_types as types;
pub use mcp_types::{Era, Revision, Revisions};
pub use protocol::{Change, ExtensionMethod, LifecycleState, Negotiated, Timeouts};
#[cfg(feature = "server")]
pub use server::{
    CancellationToken, Context, FromContext, Initialized, McpServer, Progress, Server,
    ServerBuilder,
    completions::{CompletionRequest, IntoCompletion},
    input::{self, AskError, Elicited},
    prompts::IntoPromptResult,
    resources::{self, NotFound, ResourceUri},
    tools::{Audio, Image, IntoContent, IntoToolResult, Json, Structured, ToolError},
};
pub use trace_context::TraceContext;
#[doc(no_inline)]
pub use {schemars, serde, serde_json};
