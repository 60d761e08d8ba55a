//! Token buckets: those of this process, and the trait of a store that several share.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

use super::BoxError;
use crate::connection::BoxFuture;
use crate::limits::MAX_BUCKETS;
use crate::sync::lock;

/// A rate of requests: the size of a token bucket, and the time in which an empty one fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    tokens: u32,
    /// The time for one token.
    interval: Duration,
}

/// The longest time in which a bucket fills.
const MAX_PERIOD: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

impl Rate {
    /// That many requests in a period, of at most ten years; as many may come at once.
    ///
    /// # Panics
    ///
    /// When there are no tokens, or the period is zero.
    #[must_use]
    #[track_caller]
    pub fn new(tokens: u32, period: Duration) -> Self {
        assert!(tokens > 0, "a rate needs at least one token");
        assert!(!period.is_zero(), "a rate needs a period");
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
    /// There was one.
    Yes,
    /// There was none; the bucket gets the next one after this time.
    No(Duration),
}

/// Token buckets of principals, which several processes share.
///
/// ```
/// use mcp_runtime::BoxFuture;
/// use mcp_runtime::layer::{BoxError, Buckets, Rate, RateLimit, Taken};
/// use std::time::Duration;
///
/// /// Buckets that never are empty.
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
    /// Takes a token from the bucket of a principal, which is full at first.
    ///
    /// Its future fails when the store is unavailable: the request is answered with an internal
    /// error.
    fn take(&self, principal: &str, rate: Rate) -> BoxFuture<Result<Taken, BoxError>>;
}

/// The owner of a bucket.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Caller {
    Principal(Box<str>),
    /// A connection, or a session over HTTP, by its number; the address of a client that has neither.
    Connection(u64, Option<SocketAddr>),
    /// The program itself, in a client.
    Own,
}

/// Token buckets of this process: at most [`MAX_BUCKETS`].
#[derive(Default)]
pub(super) struct LocalBuckets {
    /// The time at which each bucket is full.
    full: Mutex<HashMap<Caller, Instant>>,
}

impl LocalBuckets {
    /// Takes a token from the bucket of a caller.
    pub(super) fn take(&self, caller: Caller, rate: Rate) -> Taken {
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

/// Drops full buckets, which are as good as new ones, and then those that are full next, until there
/// is room for a tenth: so the time for it is spread over as many requests.
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

    fn caller(number: u64) -> Caller {
        Caller::Connection(number, None)
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
