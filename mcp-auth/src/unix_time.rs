//! Times as JWTs and token stores have them.

use std::time::{SystemTime, UNIX_EPOCH};

/// A time in seconds since 1970.
pub(crate) fn unix_time(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
