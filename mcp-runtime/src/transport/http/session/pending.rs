//! Requests that the server sends to its client.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use mcp_types::jsonrpc::{RequestId, write};
use mcp_types::{
    CancelledNotification, CancelledNotificationParams, Notification, ProgressNotificationParams,
};

use super::HttpSession;
use crate::connection::{Answer, Waiter, answered, contain};
use crate::error::CallError;
use crate::protocol::Timeouts;
use crate::transport::http::stream::Stream;

/// A request that the client has not answered yet.
pub(super) struct Asked {
    waiter: Waiter,
    /// Where it was sent.
    stream: Arc<Stream>,
}

impl Asked {
    /// The session is over.
    pub(super) fn close(self) {
        self.waiter.finish(Err(CallError::Closed));
    }

    /// Tells the client that nobody waits any more.
    fn cancel(&self, id: i64, reason: &str) {
        if !self.waiter.is_cancellable() {
            return;
        }
        let params = CancelledNotificationParams::new()
            .with_request_id(id)
            .with_reason(reason);
        let mut frame = Vec::new();
        write::notification(&mut frame, CancelledNotification::METHOD, Some(&params));
        self.stream.push(frame);
    }
}

impl HttpSession {
    /// Sends a request to the client on `stream`.
    ///
    /// # Errors
    ///
    /// When the stream takes no more, or the client has no way to answer.
    pub(in crate::transport::http) fn ask(
        self: &Arc<Self>,
        id: i64,
        frame: Vec<u8>,
        timeouts: Timeouts,
        waiter: Waiter,
        stream: &Arc<Stream>,
    ) -> Result<(), CallError> {
        let mut state = self.lock();
        if !self.answers() || state.is_over() || !stream.push(frame) {
            return Err(CallError::Closed);
        }
        let stream = Arc::clone(stream);
        state
            .pending
            .insert(id, Asked { waiter, stream }, timeouts, now());
        if !std::mem::replace(&mut state.watched, true) {
            tokio::spawn(watch(Arc::downgrade(self)));
        }
        Ok(())
    }

    /// Nobody waits for the answer to a request any more.
    pub(in crate::transport::http) fn abandon(&self, id: i64) {
        let asked = self.lock().pending.remove(id);
        if let Some(asked) = asked {
            asked.cancel(id, "nobody waits for the answer");
        }
    }

    /// The client has answered.
    pub(in crate::transport::http) fn answered(&self, id: Option<&RequestId>, answer: Answer<'_>) {
        answered(id, answer, |id| {
            let asked = self.lock().pending.remove(id);
            asked.map(|asked| asked.waiter)
        });
    }

    /// The client has got on with a request of the server.
    pub(super) fn progress(&self, progress: ProgressNotificationParams) {
        let RequestId::Number(id) = progress.progress_token else {
            return;
        };
        if let Some(asked) = self.lock().pending.progress(id, now()) {
            // A panic is logged; there is no one to answer.
            let _ = contain(|| asked.waiter.progress(progress));
        }
    }

    /// Gives up the requests that have run out of time, and says when to look again.
    fn expire(&self, now: Instant) -> Option<Instant> {
        let mut state = self.lock();
        let expired = state.pending.expire(now);
        let next = state.pending.next_deadline();
        state.watched = next.is_some();
        drop(state);
        for (id, asked, waited) in expired {
            asked.cancel(id, "no answer came in time");
            asked.waiter.time_out(waited);
        }
        next
    }
}

/// Watches the deadlines of a session for as long as it has any.
async fn watch(session: Weak<HttpSession>) {
    while let Some(next) = session.upgrade().and_then(|session| session.expire(now())) {
        // A request that is sent meanwhile may end before `next`.
        let at_most = now() + Duration::from_secs(1);
        tokio::time::sleep_until(next.min(at_most).into()).await;
    }
}

/// The time by tokio's clock, which tests can stop.
fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}
