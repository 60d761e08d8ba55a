//! Helpers for tests of servers: a client in memory, and recordings of connections.
//!
//! Most tests need only [`connect`], and [`Client::call`](crate::Client::call) with the type that is
//! expected. The era, the clock, the client and the caller can be chosen. [`tool_list`] is the list
//! of tools for a snapshot.
//!
//! ```
//! use mcp_runtime::prelude::*;
//! use mcp_runtime::{Era, testing};
//! use serde_json::json;
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
//!
//!     /// Divides whole numbers.
//!     #[tool]
//!     fn divide(&self, a: i64, b: i64) -> Result<i64, &'static str> {
//!         a.checked_div(b).ok_or("division by zero")
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! for era in [Era::Handshake, Era::Stateless] {
//!     let client = testing::connect(Calculator).era(era).await?;
//!     assert_eq!(client.call::<i64>("add", json!({"a": 2, "b": 3})).await?, 5);
//!
//!     let error = client.call::<i64>("divide", json!({"a": 2, "b": 0})).await.unwrap_err();
//!     assert!(error.to_string().contains("division by zero"));
//! }
//! # Ok(())
//! # }
//! ```

mod connect;
mod recording;

pub use connect::{Connect, connect};
pub use recording::Recording;

use crate::Server;

/// The tools that a server offers, as formatted JSON, for snapshots of what models see.
///
/// Includes tools that are shown to some callers only, and those of mounted servers. The tools are
/// in the order of their list, and the members of objects are sorted.
///
/// ```
/// use mcp_runtime::prelude::*;
/// use mcp_runtime::testing;
///
/// struct Clock;
///
/// #[mcp_server]
/// impl Clock {
///     /// Returns the seconds since 1970.
///     #[tool]
///     fn now(&self) -> String {
///         "0".to_owned()
///     }
/// }
///
/// // With insta: `insta::assert_snapshot!(testing::tool_list(Clock))`.
/// assert_eq!(
///     testing::tool_list(Clock),
///     r#"[
///   {
///     "description": "Returns the seconds since 1970.",
///     "inputSchema": {
///       "additionalProperties": false,
///       "properties": {},
///       "type": "object"
///     },
///     "name": "now"
///   }
/// ]"#,
/// );
/// ```
#[must_use]
pub fn tool_list(server: impl Into<Server>) -> String {
    let tools = serde_json::to_value(server.into().tools());
    let text = tools.and_then(|mut tools| {
        tools.sort_all_objects();
        serde_json::to_string_pretty(&tools)
    });
    // The types of the protocol always have a JSON form.
    text.unwrap_or_else(|error| error.to_string())
}
