//! Tests of the store in a SQLite database.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use mcp_runtime::store::{KeyValue as _, PutMode};
use mcp_runtime::testing::store_contract;
use mcp_stores::Sqlite;
use rusqlite::Connection;
use tempfile::TempDir;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn database() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("store.db");
    (folder, file)
}

#[tokio::test]
async fn sqlite_keeps_the_contract_of_stores() {
    let (_folder, file) = database();
    let store = Sqlite::open(&file).unwrap();
    store_contract::key_value(store, Sqlite::open(&file).unwrap()).await;
}

#[tokio::test]
async fn values_survive_a_restart() {
    let (_folder, file) = database();
    let store = Sqlite::open(&file).unwrap();
    let version = store.put("key", "value".into(), DAY, PutMode::Create).await;
    let version = version.unwrap().unwrap();
    drop(store);
    let store = Sqlite::open(&file).unwrap();
    let found = store.get("key", None).await.unwrap().unwrap();
    assert_eq!((&*found.value, found.version), (&b"value"[..], version));
    let update = PutMode::Update(version);
    let updated = store.put("key", "next".into(), DAY, update).await;
    assert!(updated.unwrap().is_some());
}

#[tokio::test]
async fn a_locked_database_is_unavailable_for_half_a_second_at_most() {
    let (_folder, file) = database();
    let store = Sqlite::open(&file).unwrap();
    store
        .put("kept", "".into(), DAY, PutMode::Create)
        .await
        .unwrap();
    let other = Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let start = Instant::now();
    // Both calls wait at the same time.
    let put = store.put("key", "".into(), DAY, PutMode::Create);
    let removed = store.remove("kept", None);
    put.await.unwrap_err();
    removed.await.unwrap_err();
    let elapsed = start.elapsed();
    assert!(elapsed >= Duration::from_millis(400), "{elapsed:?}");
    assert!(elapsed < Duration::from_secs(2), "{elapsed:?}");
    assert!(store.get("kept", None).await.unwrap().is_some());
    other.execute_batch("ROLLBACK").unwrap();
    assert!(store.remove("kept", None).await.unwrap());
}

#[tokio::test]
async fn calls_that_nobody_waits_for_do_not_run() {
    let (_folder, file) = database();
    let store = Sqlite::open(&file).unwrap();
    let other = Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let waiting = store.put("first", "".into(), DAY, PutMode::Create);
    for _ in 0..100 {
        drop(store.put("second", "".into(), DAY, PutMode::Create));
    }
    other.execute_batch("ROLLBACK").unwrap();
    assert!(waiting.await.unwrap().is_some());
    assert!(store.get("second", None).await.unwrap().is_none());
}

#[tokio::test]
async fn values_that_ended_are_deleted() {
    let (_folder, file) = database();
    let store = Sqlite::open(&file).unwrap();
    for number in 0..20 {
        let key = format!("key {number}");
        let put = store.put(&key, "".into(), Duration::ZERO, PutMode::Create);
        put.await.unwrap();
    }
    for _ in 0..3 {
        store
            .put("kept", "".into(), DAY, PutMode::Overwrite)
            .await
            .unwrap();
    }
    let other = Connection::open(&file).unwrap();
    let count = other.query_row("SELECT count(*) FROM entries", (), |row| row.get(0));
    assert_eq!(count, Ok(1_i64));
}

#[test]
fn a_file_that_is_not_a_store_is_refused() {
    let (folder, file) = database();
    std::fs::write(&file, "not a database".repeat(100)).unwrap();
    let error = Sqlite::open(&file).unwrap_err().to_string();
    assert!(error.contains("not a database"), "{error}");
    assert!(error.contains(file.to_str().unwrap()), "{error}");

    let newer = folder.path().join("newer.db");
    drop(Sqlite::open(&newer).unwrap());
    let other = Connection::open(&newer).unwrap();
    other.pragma_update(None, "user_version", 2).unwrap();
    let error = Sqlite::open(&newer).unwrap_err().to_string();
    assert!(error.contains("it has version 2"), "{error}");

    let absent = folder.path().join("absent").join("store.db");
    let error = Sqlite::open(absent).unwrap_err().to_string();
    assert!(error.contains("absent"), "{error}");
}

#[test]
fn many_open_a_new_database_together() {
    let (_folder, file) = database();
    let opening: Vec<_> = (0..8)
        .map(|_| {
            let file = file.clone();
            std::thread::spawn(move || Sqlite::open(file).map(drop))
        })
        .collect();
    for opened in opening {
        opened.join().unwrap().unwrap();
    }
}

#[test]
fn opening_waits_for_another_process() {
    let (_folder, file) = database();
    let other = Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (opened, is_opened) = mpsc::channel();
    let opening = std::thread::spawn(move || opened.send(Sqlite::open(file).map(drop)));
    let early = is_opened.recv_timeout(Duration::from_millis(300));
    assert!(early.is_err(), "{early:?}");
    other.execute_batch("COMMIT").unwrap();
    is_opened.recv().unwrap().unwrap();
    opening.join().unwrap().unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_new_database_belongs_to_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let (folder, file) = database();
    let store = Sqlite::open(file).unwrap();
    store
        .put("key", "".into(), DAY, PutMode::Create)
        .await
        .unwrap();
    for name in ["store.db", "store.db-wal", "store.db-shm"] {
        let file = std::fs::metadata(folder.path().join(name)).unwrap();
        assert_eq!(file.permissions().mode() & 0o777, 0o600, "{name}");
    }
}
