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
    waiting: VecDeque<Operation>,
    is_closed: bool,
}

type Operation = Box<dyn FnOnce(&mut Connection) + Send>;

/// The place of an operation among those that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Last,
    /// For what must not be late.
    First,
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
    /// many others wait, and later if it has waited for too long.
    pub(super) fn run<T: Send + 'static>(
        &self,
        place: Place,
        operation: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> StoreFuture<T> {
        let (answer, answered) = oneshot::channel();
        let until = Instant::now() + BUSY;
        let queued = self.0.push(place, move |connection| {
            let left = until.saturating_duration_since(Instant::now());
            let outcome = match left.is_zero() {
                true => Err(TaskStoreError::Busy),
                false => {
                    let waiting = connection.busy_timeout(left);
                    waiting.and_then(|()| operation(connection)).map_err(failed)
                }
            };
            // Perhaps nobody waits for the answer any more.
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
    fn push(&self, place: Place, operation: impl FnOnce(&mut Connection) + Send + 'static) -> bool {
        let mut state = self.lock();
        match place {
            Place::First => state.waiting.push_front(Box::new(operation)),
            Place::Last if state.waiting.len() >= QUEUED => return false,
            Place::Last => state.waiting.push_back(Box::new(operation)),
        }
        self.changed.notify_one();
        true
    }

    /// Waits for the next operation; `None` once there will be none.
    fn next(&self) -> Option<Operation> {
        let is_idle = |state: &mut State| state.waiting.is_empty() && !state.is_closed;
        let state = self.changed.wait_while(self.lock(), is_idle);
        state
            .unwrap_or_else(PoisonError::into_inner)
            .waiting
            .pop_front()
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
