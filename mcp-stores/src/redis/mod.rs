//! Redis, and servers that are compatible with Redis.

mod buckets;
mod connector;
mod store;

pub use buckets::RedisBuckets;
pub use store::Redis;
