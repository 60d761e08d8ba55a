#![doc = include_str!("../README.md")]
// Only builds with all features check for dead code.
#![cfg_attr(
    not(all(feature = "sqlite", feature = "tasks")),
    allow(dead_code, unused_imports)
)]

mod limits;
#[cfg(feature = "redis")]
mod redis;
#[cfg(feature = "sqlite")]
mod sqlite;

#[cfg(feature = "tasks")]
pub use redis::RedisTaskStore;
#[cfg(feature = "redis")]
pub use redis::{Redis, RedisBuckets};
#[cfg(feature = "sqlite")]
pub use sqlite::Sqlite;

use std::error::Error;

use mcp_runtime::store::{StoreError, Version};

/// A store can't be opened.
#[derive(Debug, thiserror::Error)]
#[error("{what}: {cause}")]
pub struct OpenError {
    what: String,
    #[source]
    cause: Box<dyn Error + Send + Sync>,
}

impl OpenError {
    fn new(what: impl Into<String>, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self {
            what: what.into(),
            cause: cause.into(),
        }
    }
}

/// Returns a version that no other value has, apart from one case in 2⁶⁴.
#[cfg(any(feature = "redis", feature = "sqlite"))]
fn random_version() -> Result<Version, StoreError> {
    let number = getrandom::u64().map_err(StoreError::new)?;
    Ok(Version::new(number))
}
