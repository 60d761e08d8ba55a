//! The lease of a process: the time of the store, and which other runners have stopped.
//!
//! [`TaskStore`](crate::tasks::store::TaskStore) describes how both are measured without a common
//! clock.
//!
//! The time of the store never runs too fast: each process continues to count from the last number
//! that it has read or written, at the pace of a real clock, and for no longer than a lease. So the
//! most advanced process is at most one lease ahead of the number in the store. A new task expires
//! one lease later than its time to live, counted from this number, so no process can end it too
//! early.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::records::milliseconds;
use crate::tasks::limits::RENEWALS;
use crate::tasks::store::Renewal;

/// The state that a process keeps between renewals of its lease.
#[derive(Default)]
pub(super) struct Lease {
    /// The length of a lease, if runners have leases.
    pub(super) length: Option<Duration>,
    last: Option<Renewed>,
    others: HashMap<Arc<str>, Watched>,
}

#[derive(Clone, Copy)]
struct Renewed {
    /// The time of the store, in ms.
    now: u64,
    /// The moment from which this process continues to count.
    since: Instant,
    /// The moments before and after the renewal.
    asked: Instant,
    answered: Instant,
}

/// The lease of another runner.
struct Watched {
    number: i64,
    /// How long the number was observed not to change.
    still: Duration,
}

impl Lease {
    pub(super) fn interval(&self) -> Option<Duration> {
        self.length.map(|length| length / RENEWALS)
    }

    pub(super) fn is_valid(&self) -> bool {
        let length = self.length.unwrap_or(Duration::MAX);
        self.last.is_some_and(|last| last.asked.elapsed() < length)
    }

    /// The time of the store in ms, as counted by this process.
    pub(super) fn now(&self) -> u64 {
        let length = self.length.unwrap_or(Duration::MAX);
        let counted = |last: Renewed| last.now + milliseconds(last.since.elapsed().min(length));
        self.last.map_or(0, counted)
    }

    /// The time of the store, in ms, at which a new task expires. It is late enough that every
    /// runner grants the task its time to live.
    pub(super) fn expiry(&self, ttl: u64) -> u64 {
        let now = |last: Renewed| last.now + milliseconds(last.asked.elapsed());
        let ahead = milliseconds(self.length.unwrap_or_default()) + 1;
        self.last
            .map_or(0, now)
            .saturating_add(ttl)
            .saturating_add(ahead)
    }

    /// Records a renewal that was requested at `asked` with the time `sent`. Returns the runners
    /// that have stopped.
    pub(super) fn renewed(&mut self, renewal: Renewal, sent: u64, asked: Instant) -> Vec<Arc<str>> {
        let answered = Instant::now();
        // If another process is ahead, its time was reached at some moment before the answer.
        let since = if renewal.now == sent { asked } else { answered };
        let before = self.last.replace(Renewed {
            now: renewal.now,
            since,
            asked,
            answered,
        });
        let (Some(length), Some(interval)) = (self.length, self.interval()) else {
            return Vec::new();
        };
        // A longer time was not observed, because this process may have been suspended.
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

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: Duration = Duration::from_secs(3);

    fn lease() -> Lease {
        Lease {
            length: Some(LENGTH),
            ..Lease::default()
        }
    }

    struct Random(u64);

    impl Random {
        fn below(&mut self, end: u64) -> u64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (self.0 >> 33) % end
        }
    }

    struct Process {
        lease: Lease,
        renewal: Option<(u64, Instant, Option<u64>)>,
    }

    impl Process {
        fn new() -> Self {
            Self {
                lease: lease(),
                renewal: None,
            }
        }

        /// Takes the next step of a renewal: to request it, to write it, or to receive the answer.
        fn step(&mut self, time: &mut u64) {
            self.renewal = match self.renewal.take() {
                None => Some((self.lease.now(), Instant::now(), None)),
                Some((sent, asked, None)) => {
                    *time = sent.max(*time);
                    Some((sent, asked, Some(*time)))
                }
                Some((sent, asked, Some(now))) => {
                    let runners = Vec::new();
                    self.lease.renewed(Renewal { now, runners }, sent, asked);
                    None
                }
            };
        }
    }

    #[tokio::test(start_paused = true)]
    async fn no_task_expires_early_whichever_processes_are_suspended() {
        const TTL: u64 = 5_000;
        for seed in 0..200 {
            let mut random = Random(seed);
            let mut processes: Vec<_> = (0..3).map(|_| Process::new()).collect();
            let mut time = 0;
            let mut tasks = Vec::new();
            for _ in 0..400 {
                let pause = match random.below(20) {
                    0 => random.below(60_000),
                    _ => random.below(500),
                };
                tokio::time::advance(Duration::from_millis(pause)).await;
                // The first process is suspended more often than others.
                let index = [0, 1, 1, 1, 2, 2][random.below(6) as usize];
                if random.below(100) == 0 {
                    processes[index] = Process::new();
                }
                let process = &mut processes[index];
                if process.lease.is_valid() && random.below(4) == 0 {
                    tasks.push((process.lease.expiry(TTL), Instant::now()));
                }
                process.step(&mut time);
                for (expires, created) in tasks.extract_if(.., |(expires, _)| *expires <= time) {
                    let age = created.elapsed();
                    assert!(
                        age >= Duration::from_millis(TTL),
                        "{seed}: {expires}, {age:?}"
                    );
                }
            }
            assert!(time > TTL, "{seed}: the time of the store stands still");
        }
    }

    /// Renews after a pause, and returns whether the other runner is considered stopped.
    async fn look(lease: &mut Lease, pause: Duration, number: Option<i64>) -> bool {
        tokio::time::advance(pause).await;
        let now = lease.now();
        let runners = vec![("other".into(), number)];
        let stopped = lease.renewed(Renewal { now, runners }, now, Instant::now());
        !stopped.is_empty()
    }

    #[tokio::test(start_paused = true)]
    async fn a_runner_has_stopped_once_its_number_was_seen_to_stand_still() {
        let mut lease = lease();
        let interval = lease.interval().unwrap();
        for number in 0..100 {
            assert!(!look(&mut lease, interval, Some(number)).await);
        }
        let start = Instant::now();
        while !look(&mut lease, interval, Some(99)).await {}
        assert_eq!(start.elapsed(), LENGTH);
        // The runner has renewed its lease again.
        assert!(!look(&mut lease, interval, Some(100)).await);
        assert!(look(&mut lease, interval, None).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_time_without_looking_says_nothing_about_others() {
        let mut lease = lease();
        let interval = lease.interval().unwrap();
        assert!(!look(&mut lease, interval, Some(1)).await);
        assert!(!look(&mut lease, Duration::from_secs(3_600), Some(1)).await);
        assert!(!look(&mut lease, interval, Some(1)).await);
        assert!(!look(&mut lease, interval, Some(2)).await);
    }
}
