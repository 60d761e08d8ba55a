//! Sends the progress of one call, without flooding the client.

use std::sync::{Arc, Mutex, MutexGuard};

use mcp_types::{
    Conform, ProgressNotification, ProgressNotificationParams, ProgressToken, Revision,
};
use tokio::time::Instant;

use crate::connection::Peer;
use crate::error::CallError;
use crate::limits::PROGRESS_INTERVAL;
use crate::sync::lock;

/// Sends the progress of one call to the client, at most once per [`PROGRESS_INTERVAL`].
#[derive(Debug)]
pub(in crate::server) struct Reporter {
    token: ProgressToken,
    revision: Revision,
    peer: Peer,
    state: Mutex<Reports>,
}

#[derive(Debug, Default)]
struct Reports {
    /// The highest amount reported.
    newest: Option<f64>,
    /// The newest report, if it was not sent yet.
    waiting: Option<ProgressNotificationParams>,
    last_sent: Option<Instant>,
    /// True while a task waits to send the report.
    timed: bool,
    /// True if the call is over; later reports are ignored.
    over: bool,
}

impl Reports {
    /// The earliest time for the next report; `None` if none was sent yet.
    fn due(&self) -> Option<Instant> {
        self.last_sent.map(|last| last + PROGRESS_INTERVAL)
    }
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

    /// Sends a report, or keeps it if another one was sent just before. Ignores a report whose
    /// amount has not grown. Returns false if the amount is smaller than before, or not finite.
    pub(in crate::server) fn report(
        self: &Arc<Self>,
        done: f64,
        total: Option<f64>,
        message: String,
    ) -> bool {
        let mut state = self.lock();
        let newest = state.newest.unwrap_or(f64::NEG_INFINITY);
        if state.over || !done.is_finite() || done <= newest {
            return done.is_finite() && done >= newest;
        }
        state.newest = Some(done);
        state.waiting = Some(self.params(done, total, message));
        let now = Instant::now();
        if state.due().is_none_or(|due| now >= due) {
            self.send(&mut state, now);
        }
        if state.waiting.is_some() && !state.timed {
            state.timed = self.start_timer();
        }
        true
    }

    fn params(&self, done: f64, total: Option<f64>, message: String) -> ProgressNotificationParams {
        let mut params = ProgressNotificationParams::new(self.token.clone(), done);
        params.total = total.filter(|total| total.is_finite());
        params.message = Some(message).filter(|message| !message.is_empty());
        params.conform(self.revision);
        params
    }

    /// Sends the waiting report, if the connection has room for it.
    fn send(&self, state: &mut Reports, now: Instant) {
        let Some(params) = state.waiting.take() else {
            return;
        };
        state.last_sent = Some(now);
        let sent = self.peer.notify::<ProgressNotification>(Some(&params));
        if let Err(CallError::Full) = sent {
            state.waiting = Some(params);
        }
    }

    /// Starts a task that sends the waiting report when it is due. Returns `false` outside of a
    /// runtime; the report is then sent on the next call of `report`, or at the end.
    fn start_timer(self: &Arc<Self>) -> bool {
        if tokio::runtime::Handle::try_current().is_err() {
            return false;
        }
        let reporter = Arc::clone(self);
        tokio::spawn(async move {
            loop {
                let due = reporter.lock().due().unwrap_or_else(Instant::now);
                tokio::time::sleep_until(due).await;
                let mut state = reporter.lock();
                // The time has moved if another report was sent meanwhile.
                if !state.over && state.due() == Some(due) {
                    reporter.send(&mut state, Instant::now());
                }
                if state.over || state.waiting.is_none() {
                    state.timed = false;
                    return;
                }
            }
        });
        true
    }

    /// Sends the waiting report, and ends reporting. Call this before the result is sent.
    pub(in crate::server) fn finish(&self) {
        let mut state = self.lock();
        if let Some(params) = state.waiting.take().filter(|_| !state.over) {
            // This fails only if the connection has ended, and then the report is not needed.
            let _ = self.peer.notify_urgently::<ProgressNotification>(&params);
        }
        state.over = true;
    }

    /// Ends reporting without another report.
    pub(in crate::server) fn close(&self) {
        self.lock().over = true;
    }

    fn lock(&self) -> MutexGuard<'_, Reports> {
        lock(&self.state)
    }
}
