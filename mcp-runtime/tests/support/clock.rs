//! Time that passes only where a test says so, also where real sockets and processes are waited for.

use std::future::Future;
use std::pin::pin;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

/// How often something is looked at between two steps of time.
const LOOKS: usize = 64;

/// More time than any machine needs; broken code must fail, not hang.
const LIMIT: Duration = Duration::from_secs(60);

/// The output of `future`, which must be ready within a minute.
pub async fn in_time<T>(future: impl Future<Output = T>) -> T {
    let outcome = tokio::time::timeout(LIMIT, future).await;
    outcome.expect("nothing came of it in a minute")
}

/// Waits until `condition` holds, within a minute by the clock of the machine, also if that of the
/// test stands still.
pub async fn until(what: &str, condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < LIMIT, "not within a minute: {what}");
        tokio::task::yield_now().await;
    }
}

/// The clock of a test's runtime, which it stops as long as it lives.
pub struct Clock(#[allow(dead_code)] Sender<()>);

impl Clock {
    /// Stops the clock.
    ///
    /// A paused clock of tokio jumps ahead when no task is ready, though a socket may be ready in
    /// a moment. It does not while something runs beside the tasks.
    pub fn stopped() -> Self {
        tokio::time::pause();
        let (alive, dropped) = channel();
        tokio::task::spawn_blocking(move || dropped.recv());
        Self(alive)
    }

    /// Lets time pass by itself again.
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

    /// Lets `time` pass, and whoever waited for it go on.
    pub async fn pass(&self, time: Duration) {
        tokio::time::advance(time).await;
        for _ in 0..LOOKS {
            tokio::task::yield_now().await;
        }
    }
}
