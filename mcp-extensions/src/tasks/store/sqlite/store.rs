//! The store itself, and how it notices changes made by other processes.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

use mcp_runtime::BoxFuture;
use mcp_runtime::layer::BoxError;
use mcp_runtime::types::RawJson;
use rusqlite::{Connection, OptionalExtension as _, Transaction, params};
use tokio::sync::Notify;

use super::connections::{self, Connections, transact};
use crate::tasks::limits::sqlite::{FAILED_POLL, LEASE, POLL};
use crate::tasks::limits::{MAX_DUE, TaskLimits};
use crate::tasks::lock;
use crate::tasks::store::record::Usage;
use crate::tasks::store::{Renewal, TaskRecord, TaskStore, TaskStoreError, TaskStoreFuture};

/// Keeps tasks in a SQLite database.
///
/// The tasks outlive the process. Several processes on a machine may share the database, and each
/// process sees changes of the others within a quarter of a second. A write is on disk before it is
/// acknowledged.
///
/// The lease of a process is 3 seconds. The tasks of a process are taken over within 5 seconds
/// after it was killed, and within a second after a shutdown. [`TaskStore`] describes how leases
/// and times to live are measured.
///
/// The database has five connections, each with its own thread: four for reading, and one for
/// writing. Reading does not wait for writing. An operation waits for at most 5 seconds, for
/// earlier operations and for other processes that have locked the database. Then it fails with
/// [`TaskStoreError::Busy`]. If 1,024 operations are already waiting, it fails immediately.
///
/// The files of the database (`tasks.db`, `tasks.db-wal`, `tasks.db-shm`) contain arguments and results of
/// calls. On Unix, a new database has mode 0600, so only its owner may read and write it. An
/// existing file keeps its permissions.
///
/// ```no_run
/// use mcp_extensions::tasks::Tasks;
/// use mcp_extensions::tasks::store::SqliteTaskStore;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let tasks = Tasks::new(SqliteTaskStore::open("tasks.db")?);
/// # drop(tasks);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SqliteTaskStore(Arc<Database>);

struct Database {
    readers: Connections,
    writer: Connections,
    waiting: Mutex<Waiting>,
}

impl Database {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        lock(&self.waiting)
    }
}

impl SqliteTaskStore {
    /// Opens or creates the database at `path`. Waits for up to 5 seconds for other processes that
    /// create it at the same time.
    ///
    /// # Errors
    ///
    /// Returns an error if the file can't be opened, is not a database, or was created by another
    /// version.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TaskStoreError> {
        let (writer, readers) = connections::open(path.as_ref())?;
        Ok(Self(Arc::new(Database {
            readers: Connections::start(readers)?,
            writer: Connections::start(vec![writer])?,
            waiting: Mutex::default(),
        })))
    }

    /// Runs `work` in a transaction that changes the task `id`. Without an id, it changes a lease,
    /// and runs before others.
    fn write<T: Send + 'static>(
        &self,
        id: Option<Arc<str>>,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> TaskStoreFuture<T> {
        let store = self.clone();
        let written = |connection: &mut Connection| transact(connection, work);
        let written = self.0.writer.run(id.is_none(), written);
        Box::pin(async move {
            let value = written.await?;
            if let Some(id) = id {
                store.0.waiting().notify(&id);
            }
            Ok(value)
        })
    }
}

fn integer(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

/// The owner whose usage a task is charged to.
fn owner(task: &TaskRecord) -> String {
    let principal = task.principal.as_ref();
    principal.map_or_else(String::new, |name| format!("={name}"))
}

pub(super) const NEXT_CHANGE: &str = "UPDATE counters SET change = change + 1 RETURNING change";

pub(super) const PUT: &str = "INSERT INTO tasks VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) \
    ON CONFLICT (id) DO UPDATE SET runner = excluded.runner, is_final = excluded.is_final, \
    expires = excluded.expires, version = excluded.version, bytes = excluded.bytes, \
    change = excluded.change, record = excluded.record";

pub(super) const USAGE: &str = "SELECT running, bytes FROM usage WHERE owner = ?1";

fn put(transaction: &Transaction<'_>, task: &TaskRecord) -> rusqlite::Result<()> {
    let json = serde_json::to_string(task);
    let json = json.map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    let mut change = transaction.prepare_cached(NEXT_CHANGE)?;
    let change: i64 = change.query_row((), |row| row.get(0))?;
    transaction.prepare_cached(PUT)?.execute(params![
        task.id,
        owner(task),
        task.runner,
        task.state.is_final(),
        task.expires.map(integer),
        integer(task.version),
        integer(task.bytes()),
        change,
        json
    ])?;
    Ok(())
}

fn usage(transaction: &Transaction<'_>, owner: &str) -> rusqlite::Result<Usage> {
    let mut used = transaction.prepare_cached(USAGE)?;
    let used = used.query_row([owner], |row| {
        let count = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
        Ok(Usage {
            running: count(row.get(0)?),
            bytes: count(row.get(1)?),
        })
    });
    used.optional().map(Option::unwrap_or_default)
}

/// Adds a task, unless it would exceed a limit.
pub(super) fn add(
    transaction: &Transaction<'_>,
    task: &TaskRecord,
    limits: TaskLimits,
) -> rusqlite::Result<bool> {
    let of_owner = usage(transaction, &owner(task))?;
    let total = usage(transaction, "*")?;
    let has_room = of_owner.has_room(total, Usage::of(task), limits);
    if has_room {
        put(transaction, task)?;
    }
    Ok(has_room)
}

impl TaskStore for SqliteTaskStore {
    fn insert(&self, task: TaskRecord, limits: TaskLimits) -> TaskStoreFuture<bool> {
        self.write(Some(Arc::clone(&task.id)), move |transaction| {
            add(transaction, &task, limits)
        })
    }

    fn load(&self, id: &str) -> TaskStoreFuture<Option<Arc<TaskRecord>>> {
        let id = id.to_owned();
        let read = self.0.readers.run(false, move |connection| {
            let mut find = connection.prepare_cached("SELECT record FROM tasks WHERE id = ?1")?;
            let read = |row: &rusqlite::Row<'_>| {
                // A damaged value may be of any type, and have any bytes.
                let json = row.get_ref(0)?.as_bytes().map_err(BoxError::from);
                Ok(json.and_then(|json| Ok(Arc::new(serde_json::from_slice(json)?))))
            };
            find.query_row([id], read).optional()
        });
        Box::pin(async move {
            let record = read.await?.transpose();
            record.map_err(TaskStoreError::Unreadable)
        })
    }

    fn replace(&self, task: TaskRecord) -> TaskStoreFuture<bool> {
        self.write(Some(Arc::clone(&task.id)), move |transaction| {
            let version = "SELECT version FROM tasks WHERE id = ?1";
            let mut version = transaction.prepare_cached(version)?;
            let before = version.query_row([&task.id], |row| row.get(0)).optional()?;
            let fits = before.is_some_and(|it: i64| unsigned(it) + 1 == task.version);
            if fits {
                put(transaction, &task)?;
            }
            Ok(fits)
        })
    }

    fn remove(&self, id: &str) -> TaskStoreFuture<()> {
        let id: Arc<str> = id.into();
        self.write(Some(Arc::clone(&id)), move |transaction| {
            transaction.execute("DELETE FROM tasks WHERE id = ?1", [&id])?;
            let mut change = transaction.prepare_cached(NEXT_CHANGE)?;
            change.query_row((), |_| Ok(()))
        })
    }

    fn changed(&self, id: &str, version: u64) -> BoxFuture<()> {
        self.wait(id, version)
    }

    fn due(&self, now: u64) -> TaskStoreFuture<(Vec<Arc<str>>, Option<u64>)> {
        let now = integer(now);
        self.0.readers.run(false, move |connection| {
            let due = "SELECT id FROM tasks WHERE expires <= ?1 ORDER BY expires LIMIT ?2";
            let mut due = connection.prepare_cached(due)?;
            let due = due.query_map(params![now, integer(MAX_DUE)], |row| row.get(0))?;
            let due = due.collect::<rusqlite::Result<_>>()?;
            let next = "SELECT min(expires) FROM tasks WHERE expires > ?1";
            let next: Option<i64> = connection.query_row(next, [now], |row| row.get(0))?;
            Ok((due, next.map(unsigned)))
        })
    }

    fn lease(&self) -> Option<Duration> {
        Some(LEASE)
    }

    fn renew(&self, runner: &str, now: u64) -> TaskStoreFuture<Renewal> {
        let runner = runner.to_owned();
        self.write(None, move |transaction| {
            // Each renewal has a new number, even if the lease was ended in the meantime.
            let renew = "INSERT OR REPLACE INTO runners VALUES (?1, random())";
            transaction.prepare_cached(renew)?.execute([&runner])?;
            let time = "UPDATE counters SET time = max(time, ?1) RETURNING time";
            let mut time = transaction.prepare_cached(time)?;
            let time = time.query_row([integer(now)], |row| row.get(0))?;
            let others = "SELECT id, number FROM leases WHERE id <> ?1";
            let mut others = transaction.prepare_cached(others)?;
            let others = others.query_map([&runner], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(Renewal {
                now: unsigned(time),
                runners: others.collect::<rusqlite::Result<_>>()?,
            })
        })
    }

    fn release(&self, runner: &str) -> TaskStoreFuture<()> {
        let runner = runner.to_owned();
        self.write(None, move |transaction| {
            transaction.execute("DELETE FROM runners WHERE id = ?1", [&runner])?;
            Ok(())
        })
    }

    fn unfinished(&self, runner: &str) -> TaskStoreFuture<Vec<Arc<str>>> {
        let runner = runner.to_owned();
        self.0.readers.run(false, move |connection| {
            let unfinished = "SELECT id FROM tasks WHERE is_final = 0 AND runner = ?1";
            let mut unfinished = connection.prepare_cached(unfinished)?;
            let unfinished = unfinished.query_map([runner], |row| row.get(0))?;
            unfinished.collect()
        })
    }
}

#[derive(Default)]
struct Waiting {
    changed: HashMap<String, Arc<Notify>>,
    is_polled: bool,
}

impl Waiting {
    fn of(&mut self, id: &str) -> Arc<Notify> {
        Arc::clone(self.changed.entry(id.to_owned()).or_default())
    }

    fn notify(&mut self, id: &str) {
        if let Some(notify) = self.changed.get(id) {
            notify.notify_waiters();
        }
    }

    /// Removes tasks without waiters. Returns true if no task is left.
    fn is_over(&mut self) -> bool {
        self.changed
            .retain(|_, notify| Arc::strong_count(notify) > 1);
        self.changed.is_empty()
    }
}

impl SqliteTaskStore {
    fn wait(&self, id: &str, version: u64) -> BoxFuture<()> {
        // Registered before the version is read, or a change could be missed.
        let notify = self.0.waiting().of(id);
        let notified = Arc::clone(&notify).notified_owned();
        let store = self.clone();
        let id = id.to_owned();
        Box::pin(async move {
            // Keeps the entry of the task in the map while this future waits.
            let _notify = notify;
            store.poll();
            match store.load(&id).await {
                Ok(Some(task)) if task.version == version => notified.await,
                Ok(_) => {}
                // Returning early is allowed, but the pause keeps the caller from looping without
                // rest.
                Err(_) => tokio::time::sleep(POLL).await,
            }
        })
    }

    /// Starts to poll for changes made by other processes, unless this is already running.
    fn poll(&self) {
        let mut waiting = self.0.waiting();
        if !waiting.is_polled {
            waiting.is_polled = true;
            tokio::spawn(poll(Arc::downgrade(&self.0)));
        }
    }
}

/// Notifies waiters of changes made by other processes, for as long as there are waiters.
async fn poll(database: Weak<Database>) {
    let mut last = None;
    loop {
        let Some(database) = database.upgrade() else {
            return;
        };
        let shared = Arc::clone(&database);
        let read = move |connection: &mut Connection| changes(connection, last, &shared.waiting);
        let pause = match database.readers.run(true, read).await {
            Ok((now, changed)) => {
                let mut waiting = database.waiting();
                match last.replace(now) {
                    Some(_) => changed.iter().for_each(|id| waiting.notify(id)),
                    // Earlier changes are unknown, so all waiters have to check.
                    None => waiting.changed.values().for_each(|it| it.notify_waiters()),
                }
                if waiting.is_over() {
                    waiting.is_polled = false;
                    return;
                }
                POLL
            }
            Err(error) => {
                tracing::warn!(%error, "changes of tasks can't be read now");
                FAILED_POLL
            }
        };
        drop(database);
        tokio::time::sleep(pause).await;
    }
}

/// The number of the last change, and the ids of the tasks that have changed since `last`, or that
/// are waited for and no longer there.
fn changes(
    connection: &Connection,
    last: Option<i64>,
    waiting: &Mutex<Waiting>,
) -> rusqlite::Result<(i64, Vec<String>)> {
    let now = connection
        .prepare_cached("SELECT change FROM counters")?
        .query_row((), |row| row.get(0))?;
    let Some(last) = last.filter(|last| *last != now) else {
        return Ok((now, Vec::new()));
    };
    // Collected after the number was read, or a later removal could be missed.
    let waiting = RawJson::encode(&lock(waiting).changed.keys().collect::<Vec<_>>());
    let changed = "SELECT id FROM tasks WHERE change > ?1 \
        UNION ALL SELECT value FROM json_each(?2) WHERE value NOT IN (SELECT id FROM tasks)";
    let mut changed = connection.prepare_cached(changed)?;
    let changed = changed.query_map(params![last, waiting.get()], |row| row.get(0))?;
    Ok((now, changed.collect::<rusqlite::Result<_>>()?))
}

impl fmt::Debug for SqliteTaskStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteTaskStore").finish_non_exhaustive()
    }
}
