//! The time limit of a call, which stands still while the client is asked.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::Asking;
use crate::limits::ANSWER_TIMEOUT;
use crate::server::Context;

/// How long the handler of one call has worked, in all its rounds.
#[derive(Debug, Default)]
pub(super) struct Clock {
    used: Duration,
    /// Whether the handler has a time limit.
    started: bool,
    /// Since when it runs. `None` before it is started, and while the client is asked.
    since: Option<Instant>,
    /// How many questions are open at the client.
    questions: usize,
}

impl Clock {
    /// A clock that goes on after `used`.
    pub(super) fn after(used: Duration) -> Self {
        Self {
            used,
            ..Self::default()
        }
    }

    pub(super) fn start(&mut self) {
        self.started = true;
        self.since = Some(Instant::now());
    }

    pub(super) fn used(&self) -> Duration {
        let running = self.since.map(|since| since.elapsed());
        self.used + running.unwrap_or_default()
    }

    /// What is left of `limit`; `None` when that is nothing, and the clock runs.
    pub(super) fn left(&self, limit: Duration) -> Option<Duration> {
        let left = limit.saturating_sub(self.used());
        match self.questions {
            0 => Some(left).filter(|left| !left.is_zero()),
            _ => Some(left.max(Duration::from_millis(1))),
        }
    }

    /// A question is open from now on.
    pub(super) fn stop(&mut self) {
        self.questions += 1;
        self.used = self.used();
        self.since = None;
    }

    /// A question is answered or given up.
    pub(super) fn go_on(&mut self) {
        self.questions -= 1;
        if self.questions == 0 && self.started {
            self.start();
        }
    }
}

impl Context {
    /// Runs `future` for at most `limit`, which all rounds of the call share. Time in which the
    /// client is asked does not count. `None` when the limit is reached.
    pub(in crate::server) async fn within<F: Future>(
        &self,
        limit: Duration,
        future: F,
    ) -> Option<F::Output> {
        // Every call whose handler keeps its context has one by the time that it is polled.
        let asking = self.asking_or_new(ANSWER_TIMEOUT);
        asking.start_clock();
        let mut future = pin!(future);
        let mut alarm = pin!(sleep(asking.time_left(limit).unwrap_or_default()));
        poll_fn(|task| {
            if let Poll::Ready(output) = future.as_mut().poll(task) {
                return Poll::Ready(Some(output));
            }
            while alarm.as_mut().poll(task).is_ready() {
                match asking.time_left(limit) {
                    // The clock stood still meanwhile, or still does.
                    Some(left) => alarm.as_mut().reset(Instant::now() + left),
                    None => return Poll::Ready(None),
                }
            }
            Poll::Pending
        })
        .await
    }
}

/// A question that is open at the client: the clock stands still until this is dropped.
pub(super) struct OpenQuestion<'a>(&'a Asking);

impl<'a> OpenQuestion<'a> {
    pub(super) fn new(asking: &'a Asking) -> Self {
        asking.with_clock(Clock::stop);
        Self(asking)
    }
}

impl Drop for OpenQuestion<'_> {
    fn drop(&mut self) {
        self.0.with_clock(Clock::go_on);
    }
}
