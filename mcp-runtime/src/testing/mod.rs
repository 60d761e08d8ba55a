//! Helpers for testing servers: a client in memory, recordings of connections, and tests of stores.
//!
//! Most tests need only [`connect`], and [`Client::call`](crate::Client::call) with the expected
//! result type. A test can also choose the era, the clock, the client and the caller. [`tool_list`]
//! returns the list of tools for snapshots.
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
pub mod store_contract;

#[doc(inline)]
pub use crate::{Recording, Replay};
pub use connect::{Connect, connect};

use crate::Server;

/// Returns the tools of a server as formatted JSON, for snapshots of what models see.
///
/// The list includes tools that only some callers see, and the tools of mounted servers. The tools
/// are in the order in which the server lists them, and the members of objects are sorted.
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
    // Protocol types can always be serialized, so this is never an error.
    text.unwrap_or_else(|error| error.to_string())
}
