//! Threads with a connection each, which leave tokio's threads to other work.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::schema::failed;
use crate::tasks::limits::sqlite::{BUSY, QUEUED};
use crate::tasks::store::{StoreFuture, TaskStoreError};

/// Connections of one kind, in threads that end when this is dropped.
pub(super) struct Connections(Arc<Queue>);

/// The operations that wait for one of the threads.
#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    urgent: VecDeque<Operation>,
    waiting: VecDeque<Operation>,
    is_closed: bool,
}

type Operation = Box<dyn FnOnce(&mut Connection) + Send>;

/// Which operations go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Urgency {
    Normal,
    /// For the few that must not be late.
    Urgent,
}

impl Connections {
    /// Starts a thread for each connection.
    pub(super) fn start(connections: Vec<Connection>) -> io::Result<Self> {
        let started = Self(Arc::default());
        for mut connection in connections {
            let queue = Arc::clone(&started.0);
            let work = move || {
                while let Some(operation) = queue.next() {
                    operation(&mut connection);
                }
            };
            thread::Builder::new()
                .name("mcp tasks".into())
                .spawn(work)?;
        }
        Ok(started)
    }

    /// Runs `operation` with one of the connections, as soon as one is free. It fails immediately if too
    /// many others wait, and later if it has waited for too long. It does not run once its future is dropped.
    pub(super) fn run<T: Send + 'static>(
        &self,
        urgency: Urgency,
        operation: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> StoreFuture<T> {
        let (answer, answered) = oneshot::channel();
        let until = Instant::now() + BUSY;
        let queued = self.0.push(urgency, move |connection| {
            if answer.is_closed() {
                return;
            }
            let left = until.saturating_duration_since(Instant::now());
            let outcome = match left.is_zero() {
                true => Err(TaskStoreError::Busy),
                false => {
                    let waiting = connection.busy_timeout(left);
                    waiting.and_then(|()| operation(connection)).map_err(failed)
                }
            };
            // The caller may have stopped waiting meanwhile.
            let _ = answer.send(outcome);
        });
        Box::pin(async move {
            if !queued {
                return Err(TaskStoreError::Busy);
            }
            let ended = |_| TaskStoreError::Failed("the thread of the database has ended".into());
            answered.await.map_err(ended)?
        })
    }
}

impl Queue {
    /// Adds an operation. Returns false if there are too many.
    fn push(
        &self,
        urgency: Urgency,
        operation: impl FnOnce(&mut Connection) + Send + 'static,
    ) -> bool {
        let mut state = self.lock();
        match urgency {
            Urgency::Urgent => state.urgent.push_back(Box::new(operation)),
            Urgency::Normal if state.waiting.len() >= QUEUED => return false,
            Urgency::Normal => state.waiting.push_back(Box::new(operation)),
        }
        self.changed.notify_one();
        true
    }

    /// Waits for the next operation; `None` once there will be none.
    fn next(&self) -> Option<Operation> {
        let mut state = self.lock();
        loop {
            let next = state.urgent.pop_front();
            let next = next.or_else(|| state.waiting.pop_front());
            if next.is_some() || state.is_closed {
                return next;
            }
            let changed = self.changed.wait(state);
            state = changed.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Connections {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        self.0.changed.notify_all();
    }
}
