#![doc = include_str!("../README.md")]

#[cfg(feature = "tasks")]
pub mod tasks;

#[cfg(feature = "sqlite")]
pub use tasks::SqliteTaskStore;
#[cfg(feature = "tasks")]
pub use tasks::{Task, Tasks};
