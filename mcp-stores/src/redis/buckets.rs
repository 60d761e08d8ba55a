//! Token buckets in Redis.

use std::time::Duration;

use mcp_runtime::BoxFuture;
use mcp_runtime::layer::{BoxError, Buckets, Rate, Taken};
use redis::cmd;

use super::connector::Connector;

/// Token buckets that all replicas of a server share, by the clock of Redis.
///
/// ```no_run
/// use std::time::Duration;
///
/// use mcp_runtime::layer::RateLimit;
/// use mcp_stores::Redis;
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let redis = Redis::connect("redis://localhost", "files").await?;
/// let limit = RateLimit::per_principal(20, Duration::from_secs(1)).buckets(redis.buckets());
/// # drop(limit);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RedisBuckets {
    connector: Connector,
    prefix: String,
}

impl RedisBuckets {
    pub(super) fn new(connector: Connector, prefix: &str) -> Self {
        Self {
            connector,
            prefix: format!("{prefix}:bucket:"),
        }
    }
}

/// A value is the time at which the bucket will be full again, in µs. It is kept until then.
const TAKE: &str = include_str!("take.lua");

impl Buckets for RedisBuckets {
    fn take(&self, principal: &str, rate: Rate) -> BoxFuture<Result<Taken, BoxError>> {
        let interval = rate.interval().as_nanos() as f64 / 1000.0;
        let mut command = cmd("EVAL");
        command.arg(TAKE).arg(1);
        command.arg(format!("{}{principal}", self.prefix));
        command.arg(interval).arg(rate.tokens());
        let connector = self.connector.clone();
        Box::pin(async move {
            Ok(match connector.run(command).await? {
                0 => Taken::Yes,
                missing => Taken::No(Duration::from_micros(missing)),
            })
        })
    }
}
