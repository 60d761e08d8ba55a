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

mod caller;
mod connect;
mod recording;
mod tool_list;

pub use connect::{Connect, connect};
pub use recording::Recording;
pub use tool_list::tool_list;
