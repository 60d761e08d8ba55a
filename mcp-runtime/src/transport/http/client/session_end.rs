//! Finds out whether a server has forgotten a session. The specification has HTTP 404 for it
//! (2025-11-25, "Transports", section Session Management); many servers use another status, and say
//! in the body what they mean. The last session that has ended limits how often another one is opened.

use std::sync::{Mutex, MutexGuard};

use http::header::{HeaderMap, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{Method, StatusCode};
use hyper::Response;
use hyper::body::Incoming;
use tokio::time::Instant;

use super::credentials::Sending;
use super::remote::Remote;
use super::response::BodyRead;
use crate::error::CallError;
use crate::limits::STABLE_CONNECTION;
use crate::sync::lock;
use crate::transport::http::headers::SESSION_ID;

impl Remote {
    /// Checks whether the session of a request goes on after its answer. Reads the body of a refusal
    /// that may end the session.
    ///
    /// # Errors
    ///
    /// [`CallError::SessionEnded`] if it does not go on.
    pub(super) async fn check_session(
        &self,
        sending: &Sending<'_>,
        response: &mut Response<Incoming>,
    ) -> Result<(), CallError> {
        let request = &sending.request;
        let outgoing = sending.outgoing;
        let status = response.status();
        if !request.headers().contains_key(&SESSION_ID) || request.method() == Method::DELETE {
            return Ok(());
        }
        let method = outgoing.map_or(request.method().as_str(), |outgoing| &outgoing.method);
        if status.is_success() {
            match outgoing {
                Some(outgoing) => self.state().has_served |= outgoing.id.is_some(),
                None => self.state().has_streamed = true,
            }
            self.last_end.served(method);
        }
        if !may_end(status, response.headers()) {
            return Ok(());
        }
        let read = self.read_whole(response.body_mut()).await;
        let (body, is_whole) = read.unwrap_or_else(|_| (Vec::new(), true));
        let mut state = self.state();
        // Not every server has a stream to offer, nor the right status to say so.
        let is_other = outgoing.map_or(!state.has_streamed, |it| it.is_answered_by(&body));
        let ends = state.ended
            || (ends(status, &body, is_other) && self.last_end.renews(method, state.has_served));
        if !ends {
            drop(state);
            response.extensions_mut().insert(BodyRead(body, is_whole));
            return Ok(());
        }
        if !std::mem::replace(&mut state.ended, true) {
            tracing::info!(%status, "the server has ended the session");
        }
        Err(CallError::SessionEnded)
    }
}

/// Returns true if the body decides whether a refusal ends the session.
fn may_end(status: StatusCode, headers: &HeaderMap) -> bool {
    match status.as_u16() {
        400 | 404 | 410 => true,
        401 => !headers.contains_key(WWW_AUTHENTICATE),
        503 => !headers.contains_key(RETRY_AFTER),
        _ => false,
    }
}

/// Returns true if a refusal ends the session. `is_other` says that it probably has another reason
/// unless it speaks of the session.
fn ends(status: StatusCode, body: &[u8], is_other: bool) -> bool {
    let speaks_of_it = body.to_ascii_lowercase();
    let speaks_of_it = memchr::memmem::find(&speaks_of_it, b"session").is_some();
    speaks_of_it || (!is_other && matches!(status.as_u16(), 404 | 410))
}

/// The request by whose refusal a session has ended, until one like it is served. A server that
/// refuses a request for another reason is not asked for session after session.
#[derive(Debug, Default)]
pub(super) struct LastEnd(Mutex<Option<(String, Instant)>>);

impl LastEnd {
    /// A request of the session is refused: returns true if another session may help. It does not if
    /// the session was opened for that reason just before, and has served nothing, or not this.
    fn renews(&self, method: &str, has_served: bool) -> bool {
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
        assert!(!last.renews("tools/call", true), "this was refused before");
        assert!(!last.renews("tools/list", false), "nothing was served");
        assert!(last.renews("tools/list", true));
        last.served("tools/call");
        assert!(!last.renews("tools/list", true));
        last.served("tools/list");
        assert!(last.renews("tools/list", true));
        tokio::time::advance(STABLE_CONNECTION).await;
        assert!(last.renews("tools/list", false), "that was long ago");
    }
}
