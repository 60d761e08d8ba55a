//! Tracks the requests that this side has sent and that have not been answered yet.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use mcp_types::RequestId;

use crate::limits::{ANSWER_IDLE_TIMEOUT, ANSWER_TOTAL_TIMEOUT, FOREVER};

/// The time limits of a request.
///
/// The clock is paused while the answering side asks something in turn (elicitation, sampling,
/// roots), and while credentials are fetched for a request over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// The time to wait for the answer or, with [`reset_on_progress`](Self::reset_on_progress), for
    /// the next report of progress.
    pub idle: Duration,
    /// The total time to wait, regardless of progress.
    pub total: Duration,
    /// If true, each progress notification restarts the idle time.
    pub reset_on_progress: bool,
}

impl Default for Timeouts {
    /// Returns limits of 60 seconds for the answer and 10 minutes in total. Progress does not
    /// extend the wait.
    fn default() -> Self {
        Self {
            idle: ANSWER_IDLE_TIMEOUT,
            total: ANSWER_TOTAL_TIMEOUT,
            reset_on_progress: false,
        }
    }
}

impl Timeouts {
    /// Returns limits that end the wait after `limit`, regardless of progress.
    pub const fn within(limit: Duration) -> Self {
        Self {
            idle: limit,
            total: limit,
            reset_on_progress: false,
        }
    }

    pub(crate) fn shortest(self) -> Duration {
        self.total.min(self.idle)
    }
}

/// The table of requests in flight. `W` is the type that receives the answer.
#[derive(Debug)]
pub(crate) struct Pending<W> {
    entries: BTreeMap<i64, PendingEntry<W>>,
}

#[derive(Debug)]
struct PendingEntry<W> {
    waiter: W,
    timeouts: Timeouts,
    sent: Instant,
    deadline: Instant,
    last_deadline: Instant,
    /// The reasons why the clock is paused; empty while it runs.
    held_by: Vec<Holder>,
    held_since: Instant,
}

/// A reason to pause the clock of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Holder {
    /// An open request of the peer.
    Question(RequestId),
    Transport,
}

impl<W> Pending<W> {
    pub(crate) fn new() -> Self {
        Self {
            entries: BTreeMap::new(),
        }
    }

    pub(crate) fn insert(&mut self, id: i64, waiter: W, timeouts: Timeouts, now: Instant) {
        let last_deadline = now + timeouts.total.min(FOREVER);
        let entry = PendingEntry {
            waiter,
            timeouts,
            sent: now,
            deadline: last_deadline.min(now + timeouts.idle.min(FOREVER)),
            last_deadline,
            held_by: Vec::new(),
            held_since: now,
        };
        self.entries.insert(id, entry);
    }

    /// Removes the request `id` because it was answered or cancelled. Returns `None` if it is
    /// unknown.
    pub(crate) fn remove(&mut self, id: i64) -> Option<W> {
        self.entries.remove(&id).map(|entry| entry.waiter)
    }

    pub(crate) fn remove_if(&mut self, id: i64, wanted: impl FnOnce(&W) -> bool) -> Option<W> {
        let is_wanted = wanted(&self.entries.get(&id)?.waiter);
        is_wanted.then(|| self.remove(id)).flatten()
    }

    /// Restarts the idle time of the request `id` if its limits say so, because progress was
    /// reported.
    pub(crate) fn progress(&mut self, id: i64, now: Instant) -> Option<&mut W> {
        let entry = self.entries.get_mut(&id)?;
        if entry.timeouts.reset_on_progress {
            let now = if entry.is_held() {
                entry.held_since
            } else {
                now
            };
            let deadline = now + entry.timeouts.idle.min(FOREVER);
            entry.deadline = deadline.min(entry.last_deadline);
        }
        Some(&mut entry.waiter)
    }

    /// Pauses the clocks of all `concerned` requests while the peer's request `question` is open.
    pub(crate) fn hold(
        &mut self,
        question: &RequestId,
        now: Instant,
        concerned: impl Fn(&W) -> bool,
    ) {
        for entry in self.entries.values_mut() {
            if concerned(&entry.waiter) {
                entry.hold(Holder::Question(question.clone()), now);
            }
        }
    }

    /// Ends the peer's request `question`. `now` is called only if this resumes a clock.
    pub(crate) fn release(&mut self, question: &RequestId, now: impl Fn() -> Instant) {
        for entry in self.entries.values_mut() {
            entry.release(
                |holder| matches!(holder, Holder::Question(id) if id == question),
                &now,
            );
        }
    }

    /// Pauses or resumes the clock of the request `id` on behalf of its transport.
    pub(crate) fn suspend(&mut self, id: i64, suspended: bool, now: Instant) -> Option<&mut W> {
        let entry = self.entries.get_mut(&id)?;
        if suspended {
            entry.hold(Holder::Transport, now);
        } else {
            entry.release(|holder| *holder == Holder::Transport, &|| now);
        }
        Some(&mut entry.waiter)
    }

    pub(crate) fn contains(&self, id: i64) -> bool {
        self.entries.contains_key(&id)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        let running = self.entries.values().filter(|entry| !entry.is_held());
        running.map(|entry| entry.deadline).min()
    }

    /// Removes the expired requests, oldest first, and returns how long each of them has waited.
    pub(crate) fn expire(&mut self, now: Instant) -> Vec<(i64, W, Duration)> {
        let is_expired = |entry: &PendingEntry<W>| !entry.is_held() && entry.deadline <= now;
        let entries = self.entries.iter();
        let expired: Vec<_> = entries
            .filter(|(_, entry)| is_expired(entry))
            .map(|(id, _)| *id)
            .collect();
        let remove = |id| {
            let entry = self.entries.remove(&id)?;
            Some((id, entry.waiter, now - entry.sent))
        };
        expired.into_iter().filter_map(remove).collect()
    }

    pub(crate) fn drain(&mut self) -> impl Iterator<Item = (i64, W)> + use<W> {
        let entries = std::mem::take(&mut self.entries);
        entries.into_iter().map(|(id, entry)| (id, entry.waiter))
    }
}

impl<W> PendingEntry<W> {
    fn is_held(&self) -> bool {
        !self.held_by.is_empty()
    }

    fn hold(&mut self, holder: Holder, now: Instant) {
        if !self.is_held() {
            self.held_since = now;
        }
        self.held_by.push(holder);
    }

    fn release(&mut self, is_over: impl Fn(&Holder) -> bool, now: &impl Fn() -> Instant) {
        if !self.is_held() {
            return;
        }
        self.held_by.retain(|holder| !is_over(holder));
        if !self.is_held() {
            let held = now() - self.held_since;
            self.sent += held;
            self.deadline += held;
            self.last_deadline += held;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn timeouts(reset_on_progress: bool) -> Timeouts {
        Timeouts {
            idle: 10 * SECOND,
            total: 25 * SECOND,
            reset_on_progress,
        }
    }

    #[test]
    fn an_answer_is_taken_once() {
        let mut pending = Pending::new();
        pending.insert(1, "waiter", timeouts(false), Instant::now());
        assert_eq!(pending.remove(1), Some("waiter"));
        assert_eq!(pending.remove(1), None);
        assert_eq!(pending.next_deadline(), None);
    }

    #[test]
    fn time_runs_out_for_each_request_by_itself() {
        let start = Instant::now();
        let mut pending = Pending::new();
        pending.insert(1, 'a', timeouts(false), start);
        pending.insert(2, 'b', timeouts(false), start + 5 * SECOND);
        assert_eq!(pending.next_deadline(), Some(start + 10 * SECOND));
        assert_eq!(pending.expire(start + 9 * SECOND), []);
        assert_eq!(pending.expire(start + 10 * SECOND), [(1, 'a', 10 * SECOND)]);
        assert_eq!(pending.next_deadline(), Some(start + 15 * SECOND));
    }

    #[test]
    fn progress_extends_the_wait_up_to_the_total() {
        let start = Instant::now();
        let mut pending = Pending::new();
        pending.insert(1, (), timeouts(true), start);
        pending.progress(1, start + 9 * SECOND);
        assert_eq!(pending.next_deadline(), Some(start + 19 * SECOND));
        pending.progress(1, start + 18 * SECOND);
        assert_eq!(pending.next_deadline(), Some(start + 25 * SECOND));
    }

    #[test]
    fn time_stands_still_while_the_peer_asks() {
        let start = Instant::now();
        let at = |seconds: u32| start + seconds * SECOND;
        let mut pending = Pending::new();
        pending.insert(1, 'a', timeouts(true), start);
        pending.insert(2, 'b', timeouts(true), start);
        let one = RequestId::Number(1);
        let two = RequestId::Number(2);
        pending.hold(&one, at(4), |waiter| *waiter == 'a');
        pending.hold(&two, at(6), |waiter| *waiter == 'a');
        pending.insert(3, 'a', timeouts(true), at(7));
        assert_eq!(pending.next_deadline(), Some(at(10)));
        assert_eq!(pending.expire(at(20)).len(), 2, "those that nothing holds");
        pending.release(&one, || at(50));
        assert_eq!(pending.next_deadline(), None);
        pending.release(&two, || at(104));
        assert_eq!(pending.next_deadline(), Some(at(110)));
        assert_eq!(pending.expire(at(110)), [(1, 'a', 10 * SECOND)]);
    }

    #[test]
    fn time_stands_still_for_the_request_that_the_transport_suspends() {
        let start = Instant::now();
        let at = |seconds: u32| start + seconds * SECOND;
        let question = RequestId::Number(1);
        let mut pending = Pending::new();
        pending.insert(1, 'a', timeouts(false), start);
        pending.insert(2, 'b', timeouts(false), start);
        assert!(pending.suspend(3, true, at(4)).is_none());
        pending.suspend(1, true, at(4));
        pending.hold(&question, at(5), |waiter| *waiter == 'a');
        assert_eq!(pending.expire(at(10)), [(2, 'b', 10 * SECOND)]);
        pending.release(&question, || at(50));
        assert_eq!(pending.next_deadline(), None);
        pending.suspend(1, false, at(104));
        assert_eq!(pending.next_deadline(), Some(at(110)));
    }

    #[test]
    fn progress_while_the_peer_asks_counts_from_the_end_of_it() {
        let start = Instant::now();
        let mut pending = Pending::new();
        let question = RequestId::Number(1);
        pending.insert(1, (), timeouts(true), start);
        pending.hold(&question, start + 4 * SECOND, |()| true);
        pending.progress(1, start + 50 * SECOND);
        pending.release(&question, || start + 104 * SECOND);
        assert_eq!(pending.next_deadline(), Some(start + 114 * SECOND));
        pending.progress(1, start + 113 * SECOND);
        assert_eq!(pending.next_deadline(), Some(start + 123 * SECOND));
        pending.progress(1, start + 122 * SECOND);
        assert_eq!(pending.next_deadline(), Some(start + 125 * SECOND));
    }

    #[test]
    fn a_request_may_be_waited_for_without_end() {
        let start = Instant::now();
        let mut pending = Pending::new();
        let timeouts = Timeouts {
            idle: Duration::MAX,
            total: Duration::MAX,
            reset_on_progress: true,
        };
        pending.insert(1, (), timeouts, start);
        assert!(pending.progress(1, start).is_some());
        let years = 50 * 365 * 24 * 60 * 60 * SECOND;
        assert_eq!(pending.expire(start + years), []);
    }

    #[test]
    fn progress_does_not_extend_the_wait_unless_requested() {
        let start = Instant::now();
        let mut pending = Pending::new();
        pending.insert(1, (), timeouts(false), start);
        assert!(pending.progress(1, start + 9 * SECOND).is_some());
        assert!(pending.progress(2, start).is_none());
        assert_eq!(pending.next_deadline(), Some(start + 10 * SECOND));
    }
}
