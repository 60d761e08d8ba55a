//! The lease of a process: the time of the store, and which other runners have stopped.
//!
//! [`TaskStore`](crate::tasks::store::TaskStore) says how both are measured without a common clock. Why the
//! time of the store never runs too fast: each process counts on from the last number that it has read or
//! written, at the pace of a real clock, and for no longer than a lease. So the most advanced process is at
//! most one lease ahead of the number in the store. A new task expires one lease later than its time to
//! live, counted from that number: no process can end it too early.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::records::milliseconds;
use crate::tasks::limits::RENEWALS;
use crate::tasks::store::Renewal;

/// What a process knows from the renewals of its lease.
#[derive(Default)]
pub(super) struct Lease {
    /// The length, if runners have leases.
    length: Option<Duration>,
    last: Option<Renewed>,
    others: HashMap<Arc<str>, Watched>,
}

/// The last renewal.
#[derive(Clone, Copy)]
struct Renewed {
    /// The time of the store, in ms.
    now: u64,
    /// The moment from which this process counts on.
    since: Instant,
    /// The moments before and after the renewal.
    asked: Instant,
    answered: Instant,
}

/// The lease of another runner.
struct Watched {
    number: i64,
    /// The time for which the number was seen not to change.
    still: Duration,
}

impl Lease {
    pub(super) fn new(length: Option<Duration>) -> Self {
        Self {
            length,
            ..Self::default()
        }
    }

    /// The time between two renewals.
    pub(super) fn interval(&self) -> Option<Duration> {
        self.length.map(|length| length / RENEWALS)
    }

    /// Returns true if the lease was renewed and is not over.
    pub(super) fn is_valid(&self) -> bool {
        let length = self.length.unwrap_or(Duration::MAX);
        self.last.is_some_and(|last| last.asked.elapsed() < length)
    }

    /// The time of the store, in ms, as far as this process has counted.
    pub(super) fn now(&self) -> u64 {
        let length = self.length.unwrap_or(Duration::MAX);
        let counted = |last: Renewed| last.now + milliseconds(last.since.elapsed().min(length));
        self.last.map_or(0, counted)
    }

    /// The time of the store, in ms, at which a task expires that is created now, if all runners are to
    /// leave it its time to live.
    pub(super) fn expiry(&self, ttl: u64) -> u64 {
        let now = |last: Renewed| last.now + milliseconds(last.asked.elapsed());
        let ahead = milliseconds(self.length.unwrap_or_default()) + 1;
        self.last
            .map_or(0, now)
            .saturating_add(ttl)
            .saturating_add(ahead)
    }

    /// Notes a renewal with the time `sent`, requested at `asked`. Returns the runners that have stopped.
    pub(super) fn renewed(&mut self, renewal: Renewal, sent: u64, asked: Instant) -> Vec<Arc<str>> {
        let answered = Instant::now();
        // If another process is ahead, all that is known is that its time was reached before the answer.
        let since = match renewal.now == sent {
            true => asked,
            false => answered,
        };
        let before = self.last.replace(Renewed {
            now: renewal.now,
            since,
            asked,
            answered,
        });
        let (Some(length), Some(interval)) = (self.length, self.interval()) else {
            return Vec::new();
        };
        // A longer time was not watched: this process may have been suspended.
        let watched = before.map(|it| asked.saturating_duration_since(it.answered));
        let watched = watched.unwrap_or_default().min(interval);
        let mut others = HashMap::new();
        let mut stopped = Vec::new();
        for (runner, number) in renewal.runners {
            let Some(number) = number else {
                stopped.push(runner);
                continue;
            };
            let seen = self.others.get(&runner).filter(|it| it.number == number);
            let still = seen.map_or(Duration::ZERO, |it| it.still + watched);
            if still >= length {
                stopped.push(Arc::clone(&runner));
            }
            others.insert(runner, Watched { number, still });
        }
        self.others = others;
        stopped
    }
}
