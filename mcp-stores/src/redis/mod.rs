//! Redis, and servers that are compatible with Redis.

mod buckets;
mod connector;
mod store;
#[cfg(feature = "tasks")]
mod tasks;

pub use buckets::RedisBuckets;
pub use store::Redis;
#[cfg(feature = "tasks")]
pub use tasks::RedisTaskStore;
