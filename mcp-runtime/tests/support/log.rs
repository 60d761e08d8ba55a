//! Captures the log of a test.

use std::io;
use std::sync::{Arc, Mutex, OnceLock};

use tracing::subscriber::{DefaultGuard, NoSubscriber};
use tracing::{Dispatch, Level};

/// The logged lines in order.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Captures the log of this thread at `level` until the guard is dropped.
    pub fn listening(level: Level) -> (Self, DefaultGuard) {
        let log = Self::default();
        let writer = log.clone();
        ask_every_subscriber();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(level)
            .with_ansi(false)
            .with_writer(move || writer.clone())
            .finish();
        (log, tracing::subscriber::set_default(subscriber))
    }

    /// Returns the log without warnings that any test may get: about functions that hold their
    /// thread, which a busy machine causes, and about deprecated parts of the protocol, which the
    /// first test that uses one gets for the whole process.
    pub fn text(&self) -> String {
        let text = self.all();
        let lines = text.split_inclusive('\n');
        let others = ["held its thread", "deprecated since"];
        lines
            .filter(|line| !others.iter().any(|other| line.contains(other)))
            .collect()
    }

    #[allow(dead_code)]
    pub fn all(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Keeps two more subscribers alive, so that `tracing` asks every thread's subscriber.
///
/// With a single subscriber in the process, `tracing` asks only the thread that reaches a callsite
/// first, and caches the answer for all threads. That thread may belong to another test.
pub fn ask_every_subscriber() {
    static OTHERS: OnceLock<[Dispatch; 2]> = OnceLock::new();
    OTHERS.get_or_init(|| [(); 2].map(|()| Dispatch::new(NoSubscriber::new())));
}
