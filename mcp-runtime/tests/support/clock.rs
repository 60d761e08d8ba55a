//! Time that passes only when a test says so, even while the test waits for real sockets and
//! processes.

use std::future::Future;
use std::pin::pin;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

/// How often a future is polled between two steps of time.
const LOOKS: usize = 64;

/// More time than any machine needs, so that broken code fails instead of hanging.
const LIMIT: Duration = Duration::from_secs(60);

/// Returns the output of `future`, which must be ready within a minute.
pub async fn in_time<T>(future: impl Future<Output = T>) -> T {
    let outcome = tokio::time::timeout(LIMIT, future).await;
    outcome.expect("nothing came of it in a minute")
}

/// Waits until `condition` holds, at most for a minute. The minute is measured by the machine's
/// clock, so this also works while the test's clock is stopped.
pub async fn until(what: &str, condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < LIMIT, "not within a minute: {what}");
        tokio::task::yield_now().await;
    }
}

/// Stops the clock of a test's runtime until it is dropped.
pub struct Clock(#[allow(dead_code)] Sender<()>);

impl Clock {
    /// Stops the clock.
    ///
    /// tokio's paused clock jumps ahead when no task is ready, even if a socket will be ready in a
    /// moment. It does not jump while a blocking task is running, so this starts one.
    pub fn stopped() -> Self {
        tokio::time::pause();
        let (alive, dropped) = channel();
        tokio::task::spawn_blocking(move || dropped.recv());
        Self(alive)
    }

    /// Lets time pass normally again.
    pub fn go_on(self) {
        tokio::time::resume();
    }

    /// Lets time pass in small steps until `future` is ready.
    pub async fn run_until<T>(&self, step: Duration, future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        loop {
            tokio::select! {
                biased;
                ready = &mut future => return ready,
                () = self.pass(step) => {}
            }
        }
    }

    /// Lets `time` pass, and lets the tasks that waited for it run.
    pub async fn pass(&self, time: Duration) {
        tokio::time::advance(time).await;
        for _ in 0..LOOKS {
            tokio::task::yield_now().await;
        }
    }
}
