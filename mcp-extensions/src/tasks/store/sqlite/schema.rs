//! Opening a database, and its tables.

use std::fs::OpenOptions;
use std::io;
#[cfg(unix)]
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::thread::sleep;
use std::time::Instant;

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};

use crate::tasks::limits::sqlite::{BUSY, OPEN_PAUSE, READERS};
use crate::tasks::store::TaskStoreError;

/// The version of the tables.
const VERSION: i64 = 2;

const SCHEMA: &str = include_str!("schema.sql");

/// Opens the database at `path`, or creates it: a connection to write, and some to read.
pub(super) fn open(path: &Path) -> Result<(Connection, Vec<Connection>), TaskStoreError> {
    create(path).map_err(unopened)?;
    // An absolute path has no special meaning for SQLite.
    let path = path.canonicalize().map_err(unopened)?;
    let mut writer = Connection::open(&path).map_err(failed)?;
    let start = Instant::now();
    // SQLite does not wait for others that change the journal mode at the same time.
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

/// Creates the file of a database if it does not exist, so that only its owner may read it. On systems
/// without modes, it inherits the access rules of its folder.
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
