//! When to send a request again.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::{Duration, SystemTime};

use http::header::{HeaderMap, HeaderValue, RETRY_AFTER};
use http::{Response, StatusCode};

use crate::limits::{
    FIRST_RETRY, MAX_RESUMPTION_PAUSE, MAX_RETRY_AFTER, MIN_RESUMPTION_PAUSE, RESUMPTION_PAUSE,
};

/// How long to wait before a request is sent again that was answered with `response`; `None` where
/// the answer stands. `safe` says that to serve it twice does no harm.
pub(super) fn pause<B>(response: &Response<B>, safe: bool, attempt: u32) -> Option<Duration> {
    let refused = match response.status() {
        // Nothing was done.
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => true,
        // A gateway does not know what was done.
        StatusCode::BAD_GATEWAY | StatusCode::GATEWAY_TIMEOUT => safe,
        _ => false,
    };
    match asked(response.headers()) {
        _ if !refused => None,
        Some(asked) if asked > MAX_RETRY_AFTER => None,
        Some(asked) => Some(asked.max(backoff(attempt))),
        None => Some(backoff(attempt)),
    }
}

/// The pause before a further attempt, counted from 0. A random part of it is left out, so that
/// many clients do not come back at the same moment.
pub(super) fn backoff(attempt: u32) -> Duration {
    let bits = RandomState::new().build_hasher().finish();
    let left_out = (bits % 256) as u32;
    let whole = FIRST_RETRY * 2_u32.saturating_pow(attempt.min(10));
    whole - whole / 4 * left_out / 256
}

/// The pause before a stream is resumed for which the server `asked` for one, after `short` streams
/// in a row that did not last. It doubles with each of them.
pub(super) fn resumption(asked: Option<Duration>, short: u32) -> Duration {
    let first = asked.unwrap_or(RESUMPTION_PAUSE).max(MIN_RESUMPTION_PAUSE);
    let doubled = first.saturating_mul(2_u32.saturating_pow(short));
    doubled.min(MAX_RESUMPTION_PAUSE.max(first))
}

/// How long the server asks to wait: in seconds, or until a date (RFC 9110, section 10.2.3). A
/// header that can't be read asks for nothing; the client's own pause is what remains.
fn asked(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER).map(HeaderValue::to_str)?;
    let value = value.ok()?.trim();
    let seconds = value.parse().map(Duration::from_secs).ok();
    seconds.or_else(|| {
        let date = httpdate::parse_http_date(value).ok()?;
        Some(date.duration_since(SystemTime::now()).unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(status: u16, after: Option<&str>) -> Response<()> {
        let mut response = Response::builder().status(status);
        if let Some(after) = after {
            response = response.header(RETRY_AFTER, after);
        }
        response.body(()).unwrap()
    }

    #[test]
    fn only_what_was_refused_or_is_safe_is_sent_again() {
        for (status, safe, again) in [
            (429, false, true),
            (503, false, true),
            (502, false, false),
            (502, true, true),
            (504, true, true),
            (500, true, false),
            (200, true, false),
            (400, true, false),
        ] {
            let pause = pause(&response(status, None), safe, 0);
            assert_eq!(pause.is_some(), again, "{status} {safe}");
        }
    }

    #[test]
    fn servers_say_how_long_to_wait_within_reason() {
        let pause = |after: &str| pause(&response(503, Some(after)), false, 0);
        assert_eq!(pause("3"), Some(Duration::from_secs(3)));
        assert_eq!(pause("3600"), None);
        assert!(pause("Wed, 21 Oct 2015 07:28:00 GMT").is_some_and(|pause| pause <= FIRST_RETRY));
        let soon = SystemTime::now() + Duration::from_secs(5);
        let soon = pause(&httpdate::fmt_http_date(soon)).unwrap();
        assert!(
            soon > Duration::from_secs(3) && soon <= Duration::from_secs(5),
            "{soon:?}"
        );
        let late = SystemTime::now() + Duration::from_secs(3600);
        assert_eq!(pause(&httpdate::fmt_http_date(late)), None);
        assert!(pause("soon").is_some_and(|pause| pause <= FIRST_RETRY));
    }

    #[test]
    fn streams_are_resumed_with_pauses() {
        let pauses = [0, 1, 4, 5, 40].map(|short| resumption(None, short).as_secs());
        assert_eq!(pauses, [1, 2, 16, 30, 30]);
        let zero = Some(Duration::ZERO);
        let pauses = [0, 1, 9].map(|short| resumption(zero, short).as_millis());
        assert_eq!(pauses, [100, 200, 30_000]);
        let minute = Some(Duration::from_secs(60));
        assert_eq!(resumption(minute, 3), Duration::from_secs(60));
    }

    #[test]
    fn pauses_grow() {
        for attempt in 0..4 {
            let pause = backoff(attempt);
            let whole = FIRST_RETRY * 2_u32.pow(attempt);
            assert!(pause <= whole && pause >= whole * 3 / 4, "{pause:?}");
        }
    }
}
