//! Detects that a server has forgotten a session.
//!
//! The specification reserves HTTP 404 for it (2025-11-25, "Transports", section "Session
//! Management"), but many servers use another status and explain themselves in the body. How
//! recently the last session ended limits how often a new one is opened.

use std::sync::{Mutex, MutexGuard};

use http::StatusCode;
use http::header::{HeaderMap, RETRY_AFTER, WWW_AUTHENTICATE};
use tokio::time::Instant;

use crate::limits::STABLE_CONNECTION;
use crate::sync::lock;

/// Returns true if the session may have ended. The body of the refusal decides.
pub(super) fn may_end(status: StatusCode, headers: &HeaderMap) -> bool {
    match status.as_u16() {
        400 | 404 | 410 => true,
        401 => !headers.contains_key(WWW_AUTHENTICATE),
        503 => !headers.contains_key(RETRY_AFTER),
        _ => false,
    }
}

/// Returns true if a refusal ends the session. `is_other` means that the refusal probably has
/// another reason unless its body mentions the session.
pub(super) fn ends(status: StatusCode, body: &[u8], is_other: bool) -> bool {
    let speaks_of_it = body.to_ascii_lowercase();
    let speaks_of_it = memchr::memmem::find(&speaks_of_it, b"session").is_some();
    speaks_of_it || (!is_other && matches!(status.as_u16(), 404 | 410))
}

/// The request whose refusal ended the last session, until a request with the same method is
/// served. It prevents opening session after session on a server that refuses a request for another
/// reason.
#[derive(Debug, Default)]
pub(super) struct LastEnd(Mutex<Option<(String, Instant)>>);

impl LastEnd {
    /// Records that a request of the session was refused, and returns true if a new session may
    /// help. A new session does not help if the current one was opened for this reason just before,
    /// and has served nothing, or not this method.
    pub(super) fn renews(&self, method: &str, has_served: bool) -> bool {
        let mut last = self.lock();
        let is_lasting = last.as_ref().is_some_and(|(refused, at)| {
            at.elapsed() < STABLE_CONNECTION && (!has_served || refused == method)
        });
        if !is_lasting {
            *last = Some((method.to_owned(), Instant::now()));
        }
        !is_lasting
    }

    pub(super) fn served(&self, method: &str) {
        self.lock().take_if(|(refused, _)| refused == method);
    }

    fn lock(&self) -> MutexGuard<'_, Option<(String, Instant)>> {
        lock(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn a_refusal_ends_the_session_if_it_says_so() {
        for (status, header, body, is_other, ended) in [
            (404, None, "", false, true),
            (410, None, "<html>", false, true),
            (404, None, r#"{"message":"Method not found"}"#, true, false),
            (404, None, r#"{"message":"Session not found"}"#, true, true),
            (
                400,
                None,
                "Bad Request: No valid session ID provided",
                false,
                true,
            ),
            (400, None, "Unknown SESSION", true, true),
            (400, None, "Bad Request", false, false),
            (401, None, "session expired", false, true),
            (401, Some(WWW_AUTHENTICATE), "session expired", false, false),
            (401, None, "who are you?", false, false),
            (503, None, "session lost", false, true),
            (503, Some(RETRY_AFTER), "session store down", false, false),
            (503, None, "overloaded", false, false),
            (403, None, "no session", false, false),
            (500, None, "no session", false, false),
            (200, None, "session", false, false),
        ] {
            let value = HeaderValue::from_static("1");
            let headers = HeaderMap::from_iter(header.map(|name| (name, value)));
            let status = StatusCode::from_u16(status).unwrap();
            let found = may_end(status, &headers) && ends(status, body.as_bytes(), is_other);
            assert_eq!(found, ended, "{status} {body}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_is_renewed_once() {
        let last = LastEnd::default();
        assert!(last.renews("tools/call", true));
        assert!(
            !last.renews("tools/call", true),
            "this method was refused before"
        );
        assert!(!last.renews("tools/list", false), "nothing was served");
        assert!(last.renews("tools/list", true));
        last.served("tools/call");
        assert!(!last.renews("tools/list", true));
        last.served("tools/list");
        assert!(last.renews("tools/list", true));
        tokio::time::advance(STABLE_CONNECTION).await;
        assert!(
            last.renews("tools/list", false),
            "the last refusal was long ago"
        );
    }
}
