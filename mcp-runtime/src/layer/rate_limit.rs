//! Rate limits for requests, kept in token buckets of this process or in a store that several
//! processes share.

use std::collections::HashMap;
use std::fmt;
use std::future::poll_fn;
use std::hash::Hash;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::Instant;
use tower_layer::Layer;
use tower_service::Service;

use super::{BoxError, McpRequest, McpResponse, RequestService, TooManyRequests};
use crate::connection::BoxFuture;
use crate::limits::MAX_BUCKETS;
use crate::log::OnceAMinute;
use crate::sync::lock;

/// A layer that refuses requests above a rate with [`TooManyRequests`]. It never makes a request
/// wait.
///
/// Each principal has a token bucket. A request without a principal uses the bucket of its
/// connection: a stream such as standard input and output, a session over HTTP, or the address of a
/// client without a session. A client has one bucket for all its calls. At most 10,000 buckets are
/// kept; when there are more, full buckets are dropped first.
///
/// The clones of a layer share their buckets. Every request that passes through the layer takes a
/// token, so the limit applies either to the whole server or to one tool, depending on where the
/// layer is added.
///
/// ```
/// use std::time::Duration;
/// use mcp_runtime::Server;
/// use mcp_runtime::layer::RateLimit;
/// use mcp_runtime::server::tools::ToolBuilder;
///
/// let mut server = Server::builder();
/// server.layer(RateLimit::per_principal(20, Duration::from_secs(1)));
/// let report = ToolBuilder::new("report")
///     .layer(RateLimit::per_principal(3, Duration::from_secs(3600)));
/// server.tool(report.call(|(), _| "all is well"));
/// # drop(server.build());
/// ```
#[derive(Clone)]
pub struct RateLimit {
    rate: Rate,
    local: Arc<LocalBuckets>,
    shared: Option<Arc<dyn Buckets>>,
    /// Limits the warnings about a store that is unavailable.
    outages: Arc<OnceAMinute>,
}

impl RateLimit {
    /// Allows each principal `requests` requests per `period`, and as many in one burst.
    ///
    /// # Panics
    ///
    /// As [`Rate::new`].
    #[must_use]
    #[track_caller]
    pub fn per_principal(requests: u32, period: Duration) -> Self {
        Self {
            rate: Rate::new(requests, period),
            local: Arc::default(),
            shared: None,
            outages: Arc::default(),
        }
    }

    /// Keeps the buckets of principals in a store that several processes share. The buckets of
    /// connections stay in this process.
    #[must_use]
    pub fn buckets(mut self, buckets: impl Buckets) -> Self {
        self.shared = Some(Arc::new(buckets));
        self
    }

    /// Takes a token for a request.
    ///
    /// # Errors
    ///
    /// When the bucket is empty.
    async fn take(&self, request: &McpRequest) -> Result<(), BoxError> {
        let taken = match (&self.shared, request.principal()) {
            (Some(shared), Some(principal)) => {
                let taken = shared.take(principal, self.rate).await;
                taken.inspect_err(|error| self.warn(error)).ok()
            }
            _ => None,
        };
        match taken.unwrap_or_else(|| self.local.take(caller(request), self.rate)) {
            Taken::Yes => Ok(()),
            Taken::No(time) => Err(TooManyRequests::retry_after(time).into()),
        }
    }

    fn warn(&self, error: &BoxError) {
        if self.outages.is_first() {
            crate::log::warn!(%error, "rates are limited in this process alone at the moment");
        }
    }
}

fn caller(request: &McpRequest) -> BucketOwner {
    match (request.principal(), request.context()) {
        (Some(principal), _) => BucketOwner::Principal(principal.into()),
        (None, Some(context)) => {
            let (number, address) = context.connection();
            BucketOwner::Connection(number, address)
        }
        (None, None) => BucketOwner::Own,
    }
}

impl fmt::Debug for RateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimit")
            .field("rate", &self.rate)
            .finish_non_exhaustive()
    }
}

impl<S> Layer<S> for RateLimit {
    type Service = RateLimited<S>;

    fn layer(&self, inner: S) -> RateLimited<S> {
        let limit = self.clone();
        RateLimited { limit, inner }
    }
}

/// The service of a [`RateLimit`].
#[derive(Clone, Debug)]
pub struct RateLimited<S> {
    limit: RateLimit,
    inner: S,
}

impl<S: RequestService> Service<McpRequest> for RateLimited<S> {
    type Response = McpResponse;
    type Error = BoxError;
    type Future = BoxFuture<Result<McpResponse, BoxError>>;

    /// Always ready, because a request can be refused even while the inner service is busy.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: McpRequest) -> Self::Future {
        let limit = self.limit.clone();
        let mut inner = self.inner.clone();
        Box::pin(async move {
            limit.take(&request).await?;
            poll_fn(|cx| inner.poll_ready(cx))
                .await
                .map_err(Into::into)?;
            inner.call(request).await.map_err(Into::into)
        })
    }
}

/// A rate of requests: the size of a token bucket, and how fast it fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    tokens: u32,
    /// How long one token takes to arrive.
    interval: Duration,
}

/// The longest time that a bucket may take to fill.
const MAX_PERIOD: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

impl Rate {
    /// Allows `tokens` requests per `period`, and as many in one burst. A period longer than ten
    /// years is shortened to ten years.
    ///
    /// # Panics
    ///
    /// When `tokens` or `period` is zero.
    #[must_use]
    #[track_caller]
    pub fn new(tokens: u32, period: Duration) -> Self {
        assert!(tokens > 0, "a rate needs at least one token");
        assert!(!period.is_zero(), "the period of a rate must not be zero");
        let interval = period.min(MAX_PERIOD) / tokens;
        Self {
            tokens,
            interval: interval.max(Duration::from_nanos(1)),
        }
    }

    /// The number of tokens in a full bucket.
    #[must_use]
    pub const fn tokens(&self) -> u32 {
        self.tokens
    }

    /// The time in which a bucket gets one more token.
    #[must_use]
    pub const fn interval(&self) -> Duration {
        self.interval
    }
}

/// The outcome of taking a token from a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// The bucket had a token.
    Yes,
    /// The bucket is empty; it gets the next token after this time.
    No(Duration),
}

/// Token buckets of principals, in a store that several processes share.
///
/// ```
/// use mcp_runtime::BoxFuture;
/// use mcp_runtime::layer::{BoxError, Buckets, Rate, RateLimit, Taken};
/// use std::time::Duration;
///
/// /// Buckets that are never empty.
/// struct Endless;
///
/// impl Buckets for Endless {
///     fn take(&self, _: &str, _: Rate) -> BoxFuture<Result<Taken, BoxError>> {
///         Box::pin(async { Ok(Taken::Yes) })
///     }
/// }
///
/// let limit = RateLimit::per_principal(20, Duration::from_secs(1)).buckets(Endless);
/// # drop(limit);
/// ```
pub trait Buckets: Send + Sync + 'static {
    /// Takes a token from the bucket of a principal. A new bucket is full.
    ///
    /// The future fails when the store is unavailable. The request then takes a token from a bucket
    /// of this process, and a warning is logged once a minute. Requests wait for the store, so each
    /// call must end within about half a second.
    fn take(&self, principal: &str, rate: Rate) -> BoxFuture<Result<Taken, BoxError>>;
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum BucketOwner {
    Principal(Box<str>),
    /// The number of a connection or of a session over HTTP. Clients that have neither are
    /// distinguished by their address.
    Connection(u64, Option<SocketAddr>),
    /// The calls of this program's own client.
    Own,
}

/// The token buckets of this process, at most [`MAX_BUCKETS`].
#[derive(Default)]
struct LocalBuckets {
    /// The time at which each bucket will be full again.
    full: Mutex<HashMap<BucketOwner, Instant>>,
}

impl LocalBuckets {
    fn take(&self, caller: BucketOwner, rate: Rate) -> Taken {
        let now = Instant::now();
        let mut buckets = lock(&self.full);
        if buckets.len() >= MAX_BUCKETS && !buckets.contains_key(&caller) {
            make_room(&mut buckets, now);
        }
        let full = buckets.entry(caller).or_insert(now);
        let after = (*full).max(now) + rate.interval;
        match (after - now).checked_sub(rate.interval * rate.tokens) {
            None | Some(Duration::ZERO) => {
                *full = after;
                Taken::Yes
            }
            Some(missing) => Taken::No(missing),
        }
    }
}

/// Drops full buckets, which are the same as new ones, and then the buckets that will be full next,
/// until a tenth of the room is free. Freeing more than one place spreads the cost over many
/// requests.
fn make_room<K: Eq + Hash>(buckets: &mut HashMap<K, Instant>, now: Instant) {
    buckets.retain(|_, full| *full > now);
    let Some(surplus) = buckets.len().checked_sub(MAX_BUCKETS - MAX_BUCKETS / 10) else {
        return;
    };
    let mut times: Vec<_> = buckets.values().copied().collect();
    if surplus > 0 {
        let (_, last, _) = times.select_nth_unstable(surplus - 1);
        let last = *last;
        buckets.retain(|_, full| *full > last);
    }
}

impl fmt::Debug for LocalBuckets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalBuckets").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn caller(number: u64) -> BucketOwner {
        BucketOwner::Connection(number, None)
    }

    #[tokio::test(start_paused = true)]
    async fn a_bucket_fills_at_its_rate_and_no_further() {
        let buckets = LocalBuckets::default();
        let rate = Rate::new(2, SECOND);
        let take = || buckets.take(caller(1), rate);
        assert_eq!([take(), take()], [Taken::Yes, Taken::Yes]);
        assert_eq!(take(), Taken::No(SECOND / 2));
        tokio::time::advance(SECOND / 4).await;
        assert_eq!(take(), Taken::No(SECOND / 4));
        assert_eq!(buckets.take(caller(2), rate), Taken::Yes);
        tokio::time::advance(SECOND / 4).await;
        assert_eq!(take(), Taken::Yes);
        assert_eq!(take(), Taken::No(SECOND / 2));
        tokio::time::advance(60 * SECOND).await;
        assert_eq!([take(), take()], [Taken::Yes, Taken::Yes]);
        assert_eq!(take(), Taken::No(SECOND / 2));
    }

    #[tokio::test(start_paused = true)]
    async fn full_buckets_are_dropped_before_others() {
        let buckets = LocalBuckets::default();
        let rate = Rate::new(1, SECOND);
        let most = MAX_BUCKETS as u64;
        for number in 0..most / 2 {
            buckets.take(caller(number), rate);
        }
        tokio::time::advance(SECOND).await;
        for number in most / 2..=most {
            assert_eq!(buckets.take(caller(number), rate), Taken::Yes);
        }
        let kept = buckets.full.lock().unwrap().len();
        assert_eq!(kept, MAX_BUCKETS / 2 + 1);
        for number in most / 2..=most {
            assert_eq!(buckets.take(caller(number), rate), Taken::No(SECOND));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_buckets_are_kept_than_allowed() {
        let buckets = LocalBuckets::default();
        let rate = Rate::new(1, SECOND);
        for number in 0..3 * MAX_BUCKETS as u64 {
            buckets.take(caller(number), rate);
            assert!(buckets.full.lock().unwrap().len() <= MAX_BUCKETS);
            tokio::time::advance(Duration::from_nanos(1)).await;
        }
        let last = 3 * MAX_BUCKETS as u64 - 1;
        assert!(matches!(buckets.take(caller(last), rate), Taken::No(_)));
    }

    #[test]
    fn a_rate_is_at_most_a_token_in_ten_years_and_a_billion_in_a_second() {
        let slow = Rate::new(1, Duration::MAX);
        assert_eq!(slow.interval(), MAX_PERIOD);
        let buckets = LocalBuckets::default();
        assert_eq!(buckets.take(caller(1), slow), Taken::Yes);
        assert!(matches!(buckets.take(caller(1), slow), Taken::No(_)));
        let fast = Rate::new(u32::MAX, Duration::from_nanos(1));
        assert_eq!(fast.interval(), Duration::from_nanos(1));
    }
}
