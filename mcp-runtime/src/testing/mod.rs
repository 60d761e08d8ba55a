//! Helpers for tests of servers: a client in memory, and recordings of connections.
//!
//! Most tests need only [`connect`]; the era, the clock and the client can be chosen.
//!
//! ```
//! use mcp_runtime::prelude::*;
//! use mcp_runtime::{Era, testing};
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
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! for era in [Era::Handshake, Era::Stateless] {
//!     let client = testing::connect(Calculator).era(era).await?;
//!     let sum: i64 = client.call("add", serde_json::json!({"a": 2, "b": 3})).await?;
//!     assert_eq!(sum, 5);
//! }
//! # Ok(())
//! # }
//! ```

mod connect;
mod recording;

pub use connect::{Connect, connect};
pub use recording::Recording;
