//! Stores and messages that several processes share, so that they serve clients as one server.
//!
//! A [`KeyValue`] keeps values for a limited time, such as the sessions of HTTP clients. A [`Bus`]
//! carries messages to all processes that listen, such as changes of a list. By default, each
//! process has its own [`MemoryKeyValue`] and no bus. The crate `mcp-stores` has both for Redis.
//! To write your own store, implement the traits and run the tests of
#![cfg_attr(
    feature = "testing",
    doc = "[`store_contract`](crate::testing::store_contract)."
)]
#![cfg_attr(not(feature = "testing"), doc = "`testing::store_contract`.")]

mod bus;
mod key_value;
mod memory_bus;
mod memory_key_value;
mod message;

pub use bus::{Bus, BusEvent};
pub(crate) use key_value::available;
pub use key_value::{KeyValue, PutMode, StoreError, StoreFuture, Version, Versioned};
pub use memory_bus::MemoryBus;
pub use memory_key_value::MemoryKeyValue;
pub use message::publish_changes;
pub(crate) use message::{BusContent, BusMessage};
