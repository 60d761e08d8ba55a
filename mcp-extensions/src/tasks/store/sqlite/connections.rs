//! Opens a database, and runs its operations in threads with one connection each, to not block the
//! threads of Tokio.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread::{self, sleep};
use std::time::Instant;

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};
use tokio::sync::oneshot;

use crate::tasks::limits::sqlite::{BUSY, OPEN_PAUSE, QUEUED, READERS};
use crate::tasks::lock;
use crate::tasks::store::{TaskStoreError, TaskStoreFuture};
#[cfg(unix)]
use std::os::unix::fs::OpenOptionsExt;

/// Connections of one kind, whose threads end when this is dropped.
pub(super) struct Connections {
    waiting: SyncSender<Operation>,
    urgent: Sender<Operation>,
}

type Operation = Box<dyn FnOnce(&mut Connection) + Send>;

impl Connections {
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

    /// Runs `operation` on the next free connection, and before others if it `is_urgent`.
    ///
    /// Fails immediately if too many operations wait, and later if this one has waited for too
    /// long. An operation whose future was dropped does not run.
    pub(super) fn run<T: Send + 'static>(
        &self,
        is_urgent: bool,
        operation: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> TaskStoreFuture<T> {
        let (answer, answered) = oneshot::channel();
        let until = Instant::now() + BUSY;
        let operation: Operation = Box::new(move |connection| {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || answer.is_closed() {
                // Dropping `answer` means that the store is busy.
                return;
            }
            let waits = connection.busy_timeout(left);
            let outcome = waits.and_then(|()| operation(connection));
            let _ = answer.send(outcome.map_err(failed));
        });
        let operation = if is_urgent {
            let _ = self.urgent.send(operation);
            // Wakes a thread. If the queue is full, no thread is waiting.
            Box::new(|_: &mut Connection| {})
        } else {
            operation
        };
        let _ = self.waiting.try_send(operation);
        Box::pin(async { answered.await.unwrap_or(Err(TaskStoreError::Busy)) })
    }
}

/// Waits for the next operation, and runs an urgent one before it. Returns `None` once there can be
/// no more operations.
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

const VERSION: i64 = 2;

const SCHEMA: &str = include_str!("schema.sql");

/// Opens or creates the database at `path`. Returns a connection for writing, and several for
/// reading.
pub(super) fn open(path: &Path) -> Result<(Connection, Vec<Connection>), TaskStoreError> {
    create(path).map_err(unopened)?;
    // An absolute path has no special meaning for SQLite.
    let path = path.canonicalize().map_err(unopened)?;
    let mut writer = Connection::open(&path).map_err(failed)?;
    let start = Instant::now();
    // SQLite does not wait for a process that changes the journal mode at the same time.
    while let Err(error) = prepare(&mut writer) {
        if !is_busy(&error) || start.elapsed() > BUSY {
            return Err(failed(error));
        }
        sleep(OPEN_PAUSE);
    }
    let version = writer.query_row("PRAGMA user_version", (), |row| row.get(0));
    let version: i64 = version.map_err(failed)?;
    if version != VERSION {
        let reason = format!("the database has version {version}, and {VERSION} was expected");
        return Err(TaskStoreError::Failed(reason.into()));
    }
    let readers = (0..READERS).map(|_| Connection::open(&path));
    let readers = readers.collect::<rusqlite::Result<_>>().map_err(failed)?;
    Ok((writer, readers))
}

/// Creates the file of a database if it does not exist, with access for its owner only. On systems
/// without modes, the file inherits the access rules of its folder.
fn create(path: &Path) -> io::Result<()> {
    let mut options = private();
    let options = options.write(true).create(true).truncate(false);
    options.open(path).map(drop)
}

#[cfg(unix)]
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

#[cfg(not(unix))]
fn private() -> OpenOptions {
    OpenOptions::new()
}

fn prepare(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    transact(connection, |transaction| {
        let tables = "SELECT count(*) FROM sqlite_schema";
        match transaction.query_row(tables, (), |row| row.get(0))? {
            0_i64 => transaction.execute_batch(SCHEMA),
            _ => Ok(()),
        }
    })
}

pub(super) fn transact<T>(
    connection: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let value = work(&transaction)?;
    transaction.commit()?;
    Ok(value)
}

fn is_busy(error: &rusqlite::Error) -> bool {
    use ErrorCode::{DatabaseBusy, DatabaseLocked};
    matches!(
        error.sqlite_error_code(),
        Some(DatabaseBusy | DatabaseLocked)
    )
}

pub(super) fn failed(error: rusqlite::Error) -> TaskStoreError {
    if is_busy(&error) {
        TaskStoreError::Busy
    } else {
        TaskStoreError::Failed(error.into())
    }
}

pub(super) fn unopened(error: io::Error) -> TaskStoreError {
    TaskStoreError::Failed(error.into())
}
