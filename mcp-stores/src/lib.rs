#![doc = include_str!("../README.md")]

mod limits;
#[cfg(feature = "redis")]
mod redis;

#[cfg(feature = "redis")]
pub use redis::{Redis, RedisBuckets};

use std::error::Error;

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
