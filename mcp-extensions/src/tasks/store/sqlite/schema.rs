//! Opening a database, and its tables.

use std::io;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};

use super::private_file;
use crate::tasks::limits::sqlite::{BUSY, READERS};
use crate::tasks::store::TaskStoreError;

/// The version of the tables.
const VERSION: i64 = 2;

/// Triggers count what tasks use, so that a new task does not need to look at those that are kept. The
/// owner of a task is its principal after `=`, or empty; all tasks together are counted for `*`.
const SCHEMA: &str = "
    CREATE TABLE tasks (
        id TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
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
    CREATE TABLE usage (
        owner TEXT PRIMARY KEY,
        running INTEGER NOT NULL,
        bytes INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TRIGGER task_added AFTER INSERT ON tasks BEGIN
        INSERT INTO usage VALUES (new.owner, NOT new.is_final, new.bytes), ('*', NOT new.is_final, new.bytes)
            ON CONFLICT (owner) DO UPDATE
            SET running = running + excluded.running, bytes = bytes + excluded.bytes;
    END;
    CREATE TRIGGER task_changed AFTER UPDATE OF is_final, bytes ON tasks BEGIN
        UPDATE usage
            SET running = running + old.is_final - new.is_final, bytes = bytes + new.bytes - old.bytes
            WHERE owner IN (new.owner, '*');
    END;
    CREATE TRIGGER task_removed AFTER DELETE ON tasks BEGIN
        UPDATE usage SET running = running - (NOT old.is_final), bytes = bytes - old.bytes
            WHERE owner IN (old.owner, '*');
        DELETE FROM usage WHERE owner = old.owner AND bytes = 0;
    END;
    CREATE TABLE runners (id TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE counters (change INTEGER NOT NULL, time INTEGER NOT NULL);
    INSERT INTO counters VALUES (0, 0);
    PRAGMA user_version = 2;
";

/// Opens the database at `path`, or creates it: a connection to write, and some to read.
pub(super) fn open(path: &Path) -> Result<(Connection, Vec<Connection>), TaskStoreError> {
    private_file::create(path).map_err(unopened)?;
    // An absolute path has no special meaning for SQLite.
    let path = path.canonicalize().map_err(unopened)?;
    let mut writer = Connection::open(&path).map_err(failed)?;
    let start = Instant::now();
    // SQLite does not wait for others that change the journal mode at the same time.
    while let Err(error) = prepare(&mut writer) {
        if !is_busy(&error) || start.elapsed() > BUSY {
            return Err(failed(error));
        }
        sleep(Duration::from_millis(10));
    }
    let version = writer.query_row("PRAGMA user_version", (), |row| row.get(0));
    let version: i64 = version.map_err(failed)?;
    if version != VERSION {
        let reason = format!("the database has version {version}, and {VERSION} was expected");
        return Err(TaskStoreError::Failed(reason.into()));
    }
    let readers = (0..READERS).map(|_| Connection::open(&path));
    let readers = readers.collect::<rusqlite::Result<_>>().map_err(failed)?;
    for suffix in ["", "-wal", "-shm"] {
        let mut file = path.clone().into_os_string();
        file.push(suffix);
        private_file::restrict(Path::new(&file)).map_err(unopened)?;
    }
    Ok((writer, readers))
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
    let code = error.sqlite_error_code();
    matches!(
        code,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

pub(super) fn failed(error: rusqlite::Error) -> TaskStoreError {
    match is_busy(&error) {
        true => TaskStoreError::Busy,
        false => TaskStoreError::Failed(error.into()),
    }
}

fn unopened(error: io::Error) -> TaskStoreError {
    TaskStoreError::Failed(error.into())
}
