//! A fast, small and faithful runtime for the Model Context Protocol.
//!
//! Annotate functions to get a server that supports all five revisions of the protocol:
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
//! A client starts a server or connects to one, and detects automatically which revision to use:
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
//! - To make a server from functions, use [`mcp_server`], [`tool`], [`prompt`] and [`resource`].
//!   [`Server::builder`] makes one from closures.
//! - To ask the user a question, add a parameter with `#[elicit("…")]` to a [`tool`]. The type of
//!   the parameter is a form with [`Elicit`](derive@Elicit).
//! - To report progress, write log messages, or ask questions during a call, take the [`Context`] of
//!   the call.
//! - To choose how messages are sent, see [`transport`]: standard input and output, sockets, HTTP,
//!   WebSocket, memory, or your own transport.
//! - To call servers, use [`Client`]. It also answers their questions and keeps connections alive.
//! - To test a server with a client in memory, use [`testing`].
//! - The messages of the protocol are in [`types`].
//!
//! # Features
//!
//! `macros`, `server`, `socket` and `stdio` are enabled by default. With only `macros` and
//! `server`, a server has no transports and needs no I/O of the operating system. It serves
//! [your own transport](transport::Transport).
//!
//! | feature | what it adds |
//! |---|---|
//! | `macros` | the attributes |
//! | `server` | [`Server`] and everything behind it |
//! | `stdio` | standard input and output as a transport |
//! | `socket` | TCP and Unix sockets as transports |
//! | `client` | [`Client`], and servers as child processes |
//! | `http-server`, `http-client` | Streamable HTTP |
//! | `sse` | HTTP+SSE of 2024-11-05; needs `http-server` or `http-client` |
//! | `websocket` | WebSocket as a transport; servers also need `http-server` |
//! | `seal` | encrypts the state of a call between its rounds; part of `http-server` |
//! | `layer` | [`RateLimit`](layer::RateLimit), a [layer] that limits the rate of requests |
//! | `stream` | lists, subscriptions and progress as `Stream`s |
//! | `log-layer` | forwards events of `tracing` to clients |
//! | `validation` | checks JSON against explicit schemas: the [arguments](server::tools::ToolBuilder::input_schema) of tools, their [results](server::tools::ToolEntry::new) in debug builds, and structured results in the client |
//! | `pattern` | regular expressions for the string arguments of tools |
//! | `testing` | clients in memory for tests |
#![cfg_attr(docsrs, feature(doc_cfg))]
// Compile the programs on these pages as doc tests. The pages in the `docs` folder of this crate
// are part of its rustdoc: `links.txt` precedes each of them to make links lead to items here,
// while the same links lead to files on a forge.
#![cfg_attr(
    all(doctest, feature = "http-client", feature = "http-server"),
    doc = include_str!("../../docs/client.md"),
    doc = include_str!("../../docs/configuration.md"),
    doc = include_str!("../../docs/deployment.md"),
    doc = include_str!("../../docs/embedding.md")
)]
#![cfg_attr(
    all(doctest, feature = "http-server", feature = "layer", feature = "testing"),
    doc = include_str!("../../docs/coming-from.md"),
    doc = include_str!("../../docs/composition.md"),
    doc = include_str!("../../docs/context.md"),
    doc = include_str!("../../docs/errors.md"),
    doc = include_str!("../../docs/extensions.md"),
    doc = include_str!("../../docs/first-server.md"),
    doc = include_str!("../../docs/questions.md")
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
// Only builds with all features check for dead code.
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
#[cfg(any(feature = "client", feature = "server"))]
mod deprecations;
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
#[cfg(all(feature = "client", feature = "server"))]
pub mod proxy;
#[cfg(feature = "server")]
mod schema;
#[cfg(feature = "server")]
pub mod server;
pub mod store;
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
pub use connection::{BoxFuture, Peer, Recording, Replay};
pub use error::{CallError, ChildExited, HttpError, ProtocolError, ServeError, Unavailable};
#[cfg(feature = "macros")]
#[doc = include_str!("../docs/links.txt")]
/// Makes a type a form that users can fill in, or a choice in a form.
///
#[doc = include_str!("../docs/elicit.md")]
pub use mcp_macros::Elicit;
#[cfg(feature = "macros")]
#[doc = include_str!("../docs/links.txt")]
/// Lets handlers take a type from the context of a call, such as the identity of the caller.
///
#[doc = include_str!("../docs/from_context.md")]
pub use mcp_macros::FromContext;
#[cfg(feature = "macros")]
pub use mcp_macros::main;
#[cfg(feature = "macros")]
#[doc = include_str!("../docs/links.txt")]
/// Makes a server from an `impl` block or a module.
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
/// Makes a function a resource or a resource template.
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
/// Runs a method when the server starts, when a client has connected, or when the server shuts
/// down.
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
