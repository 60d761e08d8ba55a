//! Tests that every [`KeyValue`] and every [`Bus`] passes.
//!
//! The traits promise more than their types say: which changes are atomic, when values end, and in
//! which order messages arrive. [`key_value`] and [`bus`] check the promises, and panic with the rule
//! that a store breaks. Keys and messages are unique to each run, so the store may be in use. Times
//! are real, so a run takes about a second.
//!
//! ```
//! use mcp_runtime::store::{MemoryBus, MemoryKeyValue};
//! use mcp_runtime::testing::store_contract;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! // In a test of your own store, open the store twice, as two processes would.
//! let (store, other) = { let it = MemoryKeyValue::new(); (it.clone(), it) };
//! store_contract::key_value(store, other).await;
//!
//! let (bus, other) = { let it = MemoryBus::new(); (it.clone(), it) };
//! store_contract::bus(bus, other).await;
//! # }
//! ```
//!
//! [`KeyValue`]: crate::store::KeyValue
//! [`Bus`]: crate::store::Bus

mod bus;
mod key_value;
#[cfg(test)]
mod tests;

pub use bus::bus;
pub use key_value::key_value;

use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

use bytes::Bytes;

use crate::store::StoreFuture;

/// How long a store may take for what it does soon, on a busy machine.
const SOON: Duration = Duration::from_secs(10);

/// The maximum length of values and messages.
const LARGEST: usize = 4 << 20;

/// Returns the result of a call, which must neither fail nor take too long.
async fn done<T>(call: StoreFuture<T>) -> T {
    let outcome = tokio::time::timeout(SOON, call).await;
    let outcome = outcome.expect("a call of the store ends soon");
    outcome.expect("the store is available")
}

/// Returns a string that no other run uses.
fn unique() -> String {
    let random = std::hash::RandomState::new().build_hasher().finish();
    format!("contract-{random:016x}")
}

/// Returns bytes that reveal it if some of them are lost or moved.
fn patterned(length: usize) -> Bytes {
    let bytes = (0..length).map(|index| (index ^ index >> 8 ^ index >> 16) as u8);
    bytes.collect()
}
