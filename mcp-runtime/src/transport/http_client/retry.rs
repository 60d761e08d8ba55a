//! When to send a request again.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

use http::header::{HeaderMap, HeaderValue, RETRY_AFTER};
use http::{Response, StatusCode};

/// The first pause; each further one is twice as long.
const FIRST: Duration = Duration::from_millis(200);
/// The longest time that a server may ask to be left alone; after that, the caller is told.
const LONGEST: Duration = Duration::from_secs(10);

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
        Some(asked) if asked > LONGEST => None,
        Some(asked) => Some(asked.max(backoff(attempt))),
        None => Some(backoff(attempt)),
    }
}

/// The pause before a further attempt, counted from 0. A random part of it is left out, so that
/// many clients do not come back at the same moment.
pub(super) fn backoff(attempt: u32) -> Duration {
    let bits = RandomState::new().build_hasher().finish();
    let left_out = (bits % 256) as u32;
    let whole = FIRST * 2_u32.saturating_pow(attempt.min(10));
    whole - whole / 4 * left_out / 256
}

/// How long the server asks to wait, in seconds; dates are not understood.
fn asked(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER).map(HeaderValue::to_str)?;
    let seconds = value.ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
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
        let pause = |after| pause(&response(503, Some(after)), false, 0);
        assert_eq!(pause("3"), Some(Duration::from_secs(3)));
        assert_eq!(pause("3600"), None);
        assert!(pause("Wed, 21 Oct 2026 07:28:00 GMT").is_some());
    }

    #[test]
    fn pauses_grow() {
        for attempt in 0..4 {
            let pause = backoff(attempt);
            let whole = FIRST * 2_u32.pow(attempt);
            assert!(pause <= whole && pause >= whole * 3 / 4, "{pause:?}");
        }
    }
}
