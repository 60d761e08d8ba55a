//! Threads with a connection each, which leave tokio's threads to other work.

use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::schema::{failed, unopened};
use crate::tasks::limits::sqlite::{BUSY, QUEUED};
use crate::tasks::store::{StoreFuture, TaskStoreError};
use crate::tasks::sync::lock;

/// Connections of one kind, in threads that end when this is dropped.
pub(super) struct Connections {
    waiting: SyncSender<Operation>,
    urgent: Sender<Operation>,
}

type Operation = Box<dyn FnOnce(&mut Connection) + Send>;

impl Connections {
    /// Starts a thread for each connection.
    pub(super) fn start(connections: Vec<Connection>) -> Result<Self, TaskStoreError> {
        let (waiting, operations) = mpsc::sync_channel(QUEUED);
        let (urgent, urgent_operations) = mpsc::channel();
        let operations = Arc::new(Mutex::new((operations, urgent_operations)));
        for mut connection in connections {
            let operations = Arc::clone(&operations);
            let work = move || {
                while let Some(operation) = next(&operations) {
                    operation(&mut connection);
                }
            };
            let thread = thread::Builder::new().name("mcp tasks".into());
            thread.spawn(work).map_err(unopened)?;
        }
        Ok(Self { waiting, urgent })
    }

    /// Runs `operation` with one of the connections, as soon as one is free; before others if it
    /// `is_urgent`. It fails immediately if too many others wait, and later if it has waited for too long.
    /// It does not run once its future is dropped.
    pub(super) fn run<T: Send + 'static>(
        &self,
        is_urgent: bool,
        operation: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> StoreFuture<T> {
        let (answer, answered) = oneshot::channel();
        let until = Instant::now() + BUSY;
        let operation: Operation = Box::new(move |connection| {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || answer.is_closed() {
                // Dropped without an answer.
                return;
            }
            let waits = connection.busy_timeout(left);
            let outcome = waits.and_then(|()| operation(connection));
            let _ = answer.send(outcome.map_err(failed));
        });
        let operation = if is_urgent {
            let _ = self.urgent.send(operation);
            // Wakes a thread. A full queue means that no thread is waiting.
            Box::new(|_: &mut Connection| {})
        } else {
            operation
        };
        let _ = self.waiting.try_send(operation);
        Box::pin(async { answered.await.unwrap_or(Err(TaskStoreError::Busy)) })
    }
}

/// Waits for the next operation, with an urgent one before it; `None` once there will be none.
fn next(operations: &Mutex<(Receiver<Operation>, Receiver<Operation>)>) -> Option<Operation> {
    let operations = lock(operations);
    let next = operations.0.recv().ok()?;
    match operations.1.try_recv() {
        Err(_) => Some(next),
        Ok(urgent) => Some(Box::new(|connection| {
            urgent(connection);
            next(connection);
        })),
    }
}
