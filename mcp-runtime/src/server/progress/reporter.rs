//! What of a call's progress is sent, and when.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_types::{
    Conform, ProgressNotification, ProgressNotificationParams, ProgressToken, Revision,
};
use tokio::time::Instant;

use crate::connection::Peer;
use crate::error::CallError;
use crate::limits::PROGRESS_INTERVAL;
use crate::server::task;

/// Tells the client how far one call has come.
pub(in crate::server) struct Reporter {
    token: ProgressToken,
    revision: Revision,
    peer: Peer,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// How far the call has come.
    newest: Option<f64>,
    /// The newest report, if it was not sent.
    waiting: Option<ProgressNotificationParams>,
    last_sent: Option<Instant>,
    /// Whether a task sends what waits.
    timed: bool,
    /// Nothing more may be sent.
    over: bool,
}

impl Reporter {
    pub(in crate::server) fn new(token: ProgressToken, revision: Revision, peer: Peer) -> Self {
        Self {
            token,
            revision,
            peer,
            state: Mutex::default(),
        }
    }

    /// Takes note of a report, and sends it unless one was sent just before. One that is not
    /// further than those before is none.
    pub(in crate::server) fn report(
        self: &Arc<Self>,
        done: f64,
        total: Option<f64>,
        message: String,
    ) {
        let mut state = self.lock();
        let grows = state.newest.is_none_or(|newest| done > newest);
        if state.over || !done.is_finite() || !grows {
            return;
        }
        state.newest = Some(done);
        state.waiting = Some(self.params(done, total, message));
        let now = Instant::now();
        let is_due = |last: Instant| now.duration_since(last) >= PROGRESS_INTERVAL;
        if state.last_sent.is_none_or(is_due) {
            self.send(&mut state, now);
        }
        if state.waiting.is_some() && !state.timed {
            state.timed = self.watch();
        }
    }

    fn params(&self, done: f64, total: Option<f64>, message: String) -> ProgressNotificationParams {
        let mut params = ProgressNotificationParams::new(self.token.clone(), done);
        params.total = total.filter(|total| total.is_finite());
        params.message = Some(message).filter(|message| !message.is_empty());
        params.conform(self.revision);
        params
    }

    /// Sends what waits, if there is room for it.
    fn send(&self, state: &mut State, now: Instant) {
        let Some(params) = state.waiting.take() else {
            return;
        };
        state.last_sent = Some(now);
        let sent = self.peer.notify::<ProgressNotification>(Some(&params));
        if let Err(CallError::Full) = sent {
            state.waiting = Some(params);
        }
    }

    /// Sends in time what is not followed by another report. `false` where there is no runtime to
    /// do so: then it is sent with the next report, or at the end.
    fn watch(self: &Arc<Self>) -> bool {
        if tokio::runtime::Handle::try_current().is_err() {
            return false;
        }
        let reporter = Arc::clone(self);
        task::begin(Box::pin(async move {
            loop {
                tokio::time::sleep(PROGRESS_INTERVAL).await;
                let mut state = reporter.lock();
                if !state.over {
                    reporter.send(&mut state, Instant::now());
                }
                if state.over || state.waiting.is_none() {
                    state.timed = false;
                    return;
                }
            }
        }));
        true
    }

    /// The call is done: its last report goes before the result, whatever else waits.
    pub(in crate::server) fn finish(&self) {
        let mut state = self.lock();
        if let Some(params) = state.waiting.take().filter(|_| !state.over) {
            // Where the connection is over, nobody wants to know.
            let _ = self.peer.notify_urgently::<ProgressNotification>(&params);
        }
        state.over = true;
    }

    /// The call is over, one way or another.
    pub(in crate::server) fn close(&self) {
        self.lock().over = true;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Reporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reporter").field(&self.token).finish()
    }
}
