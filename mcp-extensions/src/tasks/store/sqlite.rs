//! Tasks in a SQLite database, which several processes of a machine may share.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mcp_runtime::layer::BoxFuture;
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};
use tokio::sync::Notify;

use super::usage::Usage;
use super::{StoreFuture, TaskRecord, TaskStore, TaskStoreError};
use crate::tasks::limits::sqlite::{BUSY, LEASE, POLL};
use crate::tasks::limits::{MAX_DUE, TaskLimits};

/// Keeps tasks in a SQLite database. They outlive the process, and several processes of a machine may
/// share it: each sees the others' changes within a quarter of a second.
///
/// A process that has not renewed its lease for 3 seconds counts as stopped. What was written is on the disk
/// before it is answered.
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
    connection: Mutex<Connection>,
    waiting: Mutex<Waiting>,
}

/// Those who wait for changes of tasks, by id.
#[derive(Default)]
struct Waiting {
    changed: HashMap<String, Arc<Notify>>,
    is_polled: bool,
}

const SCHEMA: &str = "
    CREATE TABLE tasks (
        id TEXT PRIMARY KEY,
        principal TEXT,
        runner TEXT,
        is_final INTEGER NOT NULL,
        expires INTEGER,
        version INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        change INTEGER NOT NULL,
        record TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX tasks_expires ON tasks (expires) WHERE expires IS NOT NULL;
    CREATE INDEX tasks_running ON tasks (runner) WHERE is_final = 0;
    CREATE INDEX tasks_change ON tasks (change);
    CREATE TABLE runners (id TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE changes (last INTEGER NOT NULL);
    INSERT INTO changes VALUES (0);
    PRAGMA user_version = 1;
";

impl SqliteTaskStore {
    /// Opens the database at `path`, or creates it.
    ///
    /// # Errors
    ///
    /// When it can't be opened, is no database, or was made by another version.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TaskStoreError> {
        let mut connection = Connection::open(path).map_err(failed)?;
        prepare(&mut connection).map_err(failed)?;
        let version = connection.query_row("PRAGMA user_version", (), |row| row.get(0));
        match version.map_err(failed)? {
            1 => {}
            version => {
                let version: i64 = version;
                let reason = format!("the database has version {version}, and 1 was expected");
                return Err(TaskStoreError(reason.into()));
            }
        }
        Ok(Self(Arc::new(Database {
            connection: Mutex::new(connection),
            waiting: Mutex::default(),
        })))
    }

    /// Runs `work` with the connection, in a thread that may wait.
    fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> StoreFuture<T> {
        let database = Arc::clone(&self.0);
        let done = tokio::task::spawn_blocking(move || work(&mut database.connection()));
        Box::pin(async move {
            let outcome = done.await.map_err(|panic| TaskStoreError(panic.into()))?;
            outcome.map_err(failed)
        })
    }

    /// Runs `work`, which changes the task `id`, in a transaction.
    fn write<T: Send + 'static>(
        &self,
        id: Arc<str>,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> StoreFuture<T> {
        let store = self.clone();
        let written = self.run(move |connection| transact(connection, work));
        Box::pin(async move {
            let value = written.await?;
            store.0.waiting().notify(&id);
            Ok(value)
        })
    }
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

fn transact<T>(
    connection: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let value = work(&transaction)?;
    transaction.commit()?;
    Ok(value)
}

fn failed(error: rusqlite::Error) -> TaskStoreError {
    TaskStoreError(error.into())
}

/// The time in ms since 1970.
fn now() -> i64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
    integer(since_1970.unwrap_or_default().as_millis())
}

/// A number as SQLite keeps it.
fn integer(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

/// The number of the next change.
fn next_change(transaction: &Transaction<'_>) -> rusqlite::Result<i64> {
    let next = "UPDATE changes SET last = last + 1 RETURNING last";
    transaction
        .prepare_cached(next)?
        .query_row((), |row| row.get(0))
}

fn put(transaction: &Transaction<'_>, task: &TaskRecord) -> rusqlite::Result<()> {
    let json = serde_json::to_string(task);
    let json = json.map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    let change = next_change(transaction)?;
    let put = "INSERT OR REPLACE INTO tasks VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    transaction.prepare_cached(put)?.execute(params![
        task.id,
        task.principal,
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

fn read(json: &str) -> rusqlite::Result<Arc<TaskRecord>> {
    let record = serde_json::from_str(json).map(Arc::new);
    record.map_err(|error| {
        let kind = rusqlite::types::Type::Text;
        rusqlite::Error::FromSqlConversionFailure(0, kind, error.into())
    })
}

fn find(connection: &Connection, id: &str) -> rusqlite::Result<Option<Arc<TaskRecord>>> {
    let find = "SELECT record FROM tasks WHERE id = ?1";
    let mut find = connection.prepare_cached(find)?;
    let json: Option<String> = find.query_row([id], |row| row.get(0)).optional()?;
    json.map(|json| read(&json)).transpose()
}

fn usage(transaction: &Transaction<'_>, of: Option<&TaskRecord>) -> rusqlite::Result<Usage> {
    let used = "SELECT count(*) FILTER (WHERE is_final = 0), coalesce(sum(bytes), 0) FROM tasks \
        WHERE ?1 OR principal IS ?2";
    let principal = of.and_then(|task| task.principal.as_deref());
    let mut used = transaction.prepare_cached(used)?;
    used.query_row(params![of.is_none(), principal], |row| {
        let count = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
        Ok(Usage {
            running: count(row.get(0)?),
            bytes: count(row.get(1)?),
        })
    })
}

impl TaskStore for SqliteTaskStore {
    fn insert(&self, task: TaskRecord, limits: TaskLimits) -> StoreFuture<bool> {
        self.write(Arc::clone(&task.id), move |transaction| {
            let of_principal = usage(transaction, Some(&task))?;
            let total = usage(transaction, None)?;
            let has_room = of_principal.has_room(total, Usage::of(&task), limits);
            if has_room {
                put(transaction, &task)?;
            }
            Ok(has_room)
        })
    }

    fn load(&self, id: &str) -> StoreFuture<Option<Arc<TaskRecord>>> {
        let id = id.to_owned();
        self.run(move |connection| find(connection, &id))
    }

    fn replace(&self, task: TaskRecord) -> StoreFuture<bool> {
        self.write(Arc::clone(&task.id), move |transaction| {
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

    fn remove(&self, id: &str) -> StoreFuture<()> {
        let id: Arc<str> = id.into();
        self.write(Arc::clone(&id), move |transaction| {
            transaction.execute("DELETE FROM tasks WHERE id = ?1", [&id])?;
            Ok(())
        })
    }

    fn changed(&self, id: &str, version: u64) -> BoxFuture<()> {
        // Registered before the version is read, so that no change is missed.
        let notify = self.0.waiting().of(id);
        let notified = Arc::clone(&notify).notified_owned();
        let (store, id) = (self.clone(), id.to_owned());
        Box::pin(async move {
            // Others may wait for the task as well.
            let _notify = notify;
            store.poll();
            if let Ok(Some(task)) = store.load(&id).await
                && task.version == version
            {
                notified.await;
            }
        })
    }

    fn due(&self, now: u64) -> StoreFuture<(Vec<Arc<str>>, Option<u64>)> {
        let now = integer(now);
        self.run(move |connection| {
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

    fn renew(&self, runner: &str, ends: bool) -> StoreFuture<()> {
        let runner = runner.to_owned();
        self.run(move |connection| {
            let until = match ends {
                true => 0,
                false => now() + integer(LEASE.as_millis()),
            };
            let renew = "INSERT OR REPLACE INTO runners VALUES (?1, ?2)";
            connection.execute(renew, params![runner, until])?;
            Ok(())
        })
    }

    fn take(&self, runner: &str) -> StoreFuture<Vec<Arc<TaskRecord>>> {
        let runner = runner.to_owned();
        self.run(move |connection| transact(connection, |transaction| take(transaction, &runner)))
    }
}

/// Makes `runner` the runner of the tasks of those that have stopped.
fn take(transaction: &Transaction<'_>, runner: &str) -> rusqlite::Result<Vec<Arc<TaskRecord>>> {
    let stopped = "SELECT record FROM tasks WHERE is_final = 0 AND runner IS NOT NULL AND runner <> ?1 \
        AND NOT EXISTS (SELECT 1 FROM runners WHERE id = runner AND until > ?2)";
    let mut stopped = transaction.prepare_cached(stopped)?;
    let stopped = stopped.query_map(params![runner, now()], |row| row.get::<_, String>(0))?;
    let mut taken = Vec::new();
    for json in stopped.collect::<rusqlite::Result<Vec<_>>>()? {
        let mut task = (*read(&json)?).clone();
        task.runner = Some(runner.into());
        task.version += 1;
        put(transaction, &task)?;
        taken.push(Arc::new(task));
    }
    // Nothing is theirs any more.
    transaction.execute(
        "DELETE FROM runners WHERE until <= ?1 AND id <> ?2",
        params![now(), runner],
    )?;
    Ok(taken)
}

impl SqliteTaskStore {
    /// Starts to look for changes of other processes, while anybody waits for some.
    fn poll(&self) {
        let mut waiting = self.0.waiting();
        if !waiting.is_polled {
            waiting.is_polled = true;
            tokio::spawn(poll(Arc::downgrade(&self.0)));
        }
    }
}

/// Notifies those who wait of the changes of other processes, until nobody waits.
async fn poll(database: Weak<Database>) {
    let mut last = None;
    loop {
        let Some(database) = database.upgrade() else {
            return;
        };
        let store = SqliteTaskStore(database);
        let changes = store.run(move |connection| changes(connection, last));
        match changes.await {
            Ok((now, changed)) => {
                let mut waiting = store.0.waiting();
                match last.replace(now) {
                    Some(_) => changed.iter().for_each(|id| waiting.notify(id)),
                    // What has changed before is not known.
                    None => waiting.changed.values().for_each(|it| it.notify_waiters()),
                }
                if waiting.is_over() {
                    waiting.is_polled = false;
                    return;
                }
            }
            Err(error) => tracing::warn!(%error, "changes of tasks can't be read now"),
        }
        drop(store);
        tokio::time::sleep(POLL).await;
    }
}

/// The number of the last change, and the ids of the tasks that were changed since `last`.
fn changes(connection: &Connection, last: Option<i64>) -> rusqlite::Result<(i64, Vec<String>)> {
    let now = connection
        .prepare_cached("SELECT last FROM changes")?
        .query_row((), |row| row.get(0))?;
    let Some(last) = last.filter(|last| *last != now) else {
        return Ok((now, Vec::new()));
    };
    let mut changed = connection.prepare_cached("SELECT id FROM tasks WHERE change > ?1")?;
    let changed = changed.query_map([last], |row| row.get(0))?;
    Ok((now, changed.collect::<rusqlite::Result<_>>()?))
}

impl Database {
    fn connection(&self) -> MutexGuard<'_, Connection> {
        let connection = self.connection.lock();
        connection.unwrap_or_else(PoisonError::into_inner)
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    /// What is notified of changes of a task.
    fn of(&mut self, id: &str) -> Arc<Notify> {
        Arc::clone(self.changed.entry(id.to_owned()).or_default())
    }

    fn notify(&mut self, id: &str) {
        if let Some(notify) = self.changed.get(id) {
            notify.notify_waiters();
        }
    }

    /// Forgets tasks that nobody waits for. Returns true if there are no others.
    fn is_over(&mut self) -> bool {
        self.changed
            .retain(|_, notify| Arc::strong_count(notify) > 1);
        self.changed.is_empty()
    }
}

impl fmt::Debug for SqliteTaskStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteTaskStore").finish_non_exhaustive()
    }
}
