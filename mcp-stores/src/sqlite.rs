//! Values in a SQLite database.
//!
//! One thread runs the calls, one after the other, to not block the threads of Tokio. Each call is
//! one statement, so it is atomic without a transaction of its own.

use std::error::Error;
use std::fmt;
use std::fs::OpenOptions;
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use mcp_runtime::store::{KeyValue, PutMode, StoreError, StoreFuture, Version, Versioned};
use rusqlite::{Connection, ErrorCode, Params, Row, params};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use crate::limits::sqlite::{CALL, OPEN, OPEN_PAUSE, PURGED, QUEUED};
use crate::{OpenError, random_version};
#[cfg(unix)]
use std::os::unix::fs::OpenOptionsExt as _;

/// Values in a SQLite database, so that sessions and logins survive a restart of the server.
///
/// Several processes on one machine may share the database. Clones share a connection. Values
/// survive a crash of the process. If the machine loses power, the last changes may be lost.
///
/// Values end by the clock of the system. Each call ends within 500 ms. It fails if earlier calls
/// or other processes need the database for that long, or if 1,024 calls are already waiting.
///
/// The files of the database (`store.db`, `store.db-wal`, `store.db-shm`) may contain secrets. On
/// Unix, a new database has mode 0600, so only its owner may read and write it. An existing file
/// keeps its permissions.
///
/// ```
/// use std::time::Duration;
///
/// use mcp_runtime::store::{KeyValue, PutMode};
/// use mcp_stores::Sqlite;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("store.db");
/// # /*
/// let path = "store.db";
/// # */
/// let store = Sqlite::open(&path)?;
/// store.put("key", "value".into(), Duration::from_secs(60), PutMode::Create).await?;
///
/// let found = Sqlite::open(&path)?.get("key", None).await?;
/// assert_eq!(found.unwrap().value, "value");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Sqlite {
    calls: SyncSender<Call>,
}

type Call = Box<dyn FnOnce(&Connection) + Send>;

const VERSION: i64 = 1;

const TABLES: &str = include_str!("sqlite.sql");

// In each statement, ?1 is the key, ?2 the time, and ?3 the end of the value, in ms since 1970.

const GET: &str = "SELECT value, version FROM entries WHERE key = ?1 AND ends > ?2";

const RENEW: &str =
    "UPDATE entries SET ends = ?3 WHERE key = ?1 AND ends > ?2 RETURNING value, version";

/// Replaces a value that has ended, or any value if ?6 is true.
const INSERT: &str = "INSERT INTO entries (key, ends, value, version) VALUES (?1, ?3, ?4, ?5) \
    ON CONFLICT (key) DO UPDATE \
    SET ends = excluded.ends, value = excluded.value, version = excluded.version \
    WHERE ?6 OR ends <= ?2";

const UPDATE: &str = "UPDATE entries SET ends = ?3, value = ?4, version = ?5 \
    WHERE key = ?1 AND ends > ?2 AND version = ?6";

const REMOVE: &str = "DELETE FROM entries \
    WHERE key = ?1 AND ends > ?2 AND (?3 IS NULL OR version = ?3)";

const PURGE: &str =
    "DELETE FROM entries WHERE rowid IN (SELECT rowid FROM entries WHERE ends <= ?1 LIMIT ?2)";

impl Sqlite {
    /// Opens or creates the database at `path`. Waits for up to 5 seconds for other processes that
    /// create it at the same time.
    ///
    /// # Errors
    ///
    /// Returns an error if the file can't be opened, is not a database, or was created by another
    /// version.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = path.as_ref();
        let opened = start(path).map_err(|cause| {
            let what = format!("can't open the database {}", path.display());
            OpenError::new(what, cause)
        });
        Ok(Self { calls: opened? })
    }

    /// Runs `work` with the current time in the thread.
    fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, i64) -> rusqlite::Result<T> + Send + 'static,
    ) -> StoreFuture<T> {
        let (answer, answered) = oneshot::channel();
        let until = Instant::now() + CALL;
        let call: Call = Box::new(move |connection| {
            let left = until.saturating_duration_since(Instant::now());
            // The caller of a late call has gone.
            if !left.is_zero() && !answer.is_closed() {
                let waits = connection.busy_timeout(left);
                let outcome = waits.and_then(|()| work(connection, now()));
                let _ = answer.send(outcome.map_err(StoreError::new));
            }
        });
        // If the queue is full, the dropped call is an error.
        let _ = self.calls.try_send(call);
        Box::pin(async move {
            let answered = timeout_at(until, answered).await;
            let busy = || StoreError::new("too many calls wait for the database");
            answered.ok().and_then(Result::ok).ok_or_else(busy)?
        })
    }
}

fn start(path: &Path) -> Result<SyncSender<Call>, Box<dyn Error + Send + Sync>> {
    let mut file = private();
    file.write(true).create(true).truncate(false).open(path)?;
    // An absolute path has no special meaning for SQLite.
    let connection = Connection::open(path.canonicalize()?)?;
    connection.busy_timeout(OPEN)?;
    let start = Instant::now();
    // SQLite does not wait for a process that changes the journal mode at the same time.
    while let Err(error) = connection.pragma_update(None, "journal_mode", "WAL") {
        let code = error.sqlite_error_code();
        if code != Some(ErrorCode::DatabaseBusy) || start.elapsed() > OPEN {
            return Err(error.into());
        }
        thread::sleep(OPEN_PAUSE);
    }
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    match connection.query_row("PRAGMA user_version", (), |row| row.get(0))? {
        0 => connection.execute_batch(TABLES)?,
        VERSION => {}
        other => return Err(format!("it has version {other}, and {VERSION} was expected").into()),
    }
    let (calls, called) = sync_channel::<Call>(QUEUED);
    let thread = thread::Builder::new().name("mcp store".into());
    thread.spawn(move || {
        while let Ok(call) = called.recv() {
            call(&connection);
        }
    })?;
    Ok(calls)
}

/// On systems without modes, a file inherits the access rules of its folder.
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

fn milliseconds(time: Duration) -> i64 {
    // A tenth of the range, so that sums are within it.
    i64::try_from(time.as_millis())
        .unwrap_or(i64::MAX)
        .min(i64::MAX / 10)
}

fn now() -> i64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.map_or(0, milliseconds)
}

fn versioned(row: &Row<'_>) -> rusqlite::Result<Versioned> {
    Ok(Versioned {
        value: row.get::<_, Vec<u8>>(0)?.into(),
        version: Version::new(row.get::<_, i64>(1)?.cast_unsigned()),
    })
}

/// Reads the value that a statement returns.
fn find(
    connection: &Connection,
    sql: &str,
    params: impl Params,
) -> rusqlite::Result<Option<Versioned>> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let found = rows.next()?.map(versioned).transpose()?;
    // A change is committed only after the last row, and may fail.
    rows.next()?;
    Ok(found)
}

impl KeyValue for Sqlite {
    fn get(&self, key: &str, renew: Option<Duration>) -> StoreFuture<Option<Versioned>> {
        let key = key.to_owned();
        self.run(move |connection, now| match renew {
            Some(renew) => find(
                connection,
                RENEW,
                params![key, now, now + milliseconds(renew)],
            ),
            None => find(connection, GET, params![key, now]),
        })
    }

    fn put(
        &self,
        key: &str,
        value: Bytes,
        ttl: Duration,
        mode: PutMode,
    ) -> StoreFuture<Option<Version>> {
        let key = key.to_owned();
        let version = match random_version() {
            Ok(version) => version,
            Err(error) => return Box::pin(async { Err(error) }),
        };
        let number = version.number().cast_signed();
        let (sql, last) = match mode {
            PutMode::Overwrite => (INSERT, 1),
            PutMode::Create => (INSERT, 0),
            PutMode::Update(current) => (UPDATE, current.number().cast_signed()),
        };
        self.run(move |connection, now| {
            let mut purge = connection.prepare_cached(PURGE)?;
            purge.execute(params![now, PURGED])?;
            let ends = now + milliseconds(ttl);
            let mut put = connection.prepare_cached(sql)?;
            let changed = put.execute(params![key, now, ends, &*value, number, last])?;
            Ok((changed > 0).then_some(version))
        })
    }

    fn remove(&self, key: &str, version: Option<Version>) -> StoreFuture<bool> {
        let key = key.to_owned();
        let version = version.map(|version| version.number().cast_signed());
        self.run(move |connection, now| {
            let mut remove = connection.prepare_cached(REMOVE)?;
            Ok(remove.execute(params![key, now, version])? > 0)
        })
    }
}

impl fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sqlite").finish_non_exhaustive()
    }
}
