//! Tests internals of the store, and damaged, locked and shared databases.

use std::cell::Cell;
use std::sync::{Arc, Barrier, mpsc};
use std::time::{Duration, Instant};

use rusqlite::{Connection, StatementStatus};
use tempfile::TempDir;

use super::SqliteTaskStore;
use super::connections::{self, Connections, transact};
use super::store::{NEXT_CHANGE, PUT, USAGE, add};
use crate::tasks::limits::sqlite::QUEUED;
use crate::tasks::store::{TaskRecord, TaskStore, TaskStoreError};
use crate::tasks::{TaskLimits, TaskState};

fn task(id: &str, principal: Option<&str>) -> TaskRecord {
    TaskRecord {
        id: id.into(),
        principal: principal.map(str::to_owned),
        runner: Some("runner".into()),
        expires: Some(1_000),
        ..TaskRecord::default()
    }
}

fn limits() -> TaskLimits {
    TaskLimits::new().running(usize::MAX, usize::MAX)
}

fn database() -> (TempDir, SqliteTaskStore, Connection) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tasks.db");
    let store = SqliteTaskStore::open(&file).unwrap();
    (folder, store, Connection::open(file).unwrap())
}

/// The number of steps that SQLite takes to add a task.
fn steps(connection: &mut Connection, id: &str) -> i32 {
    let statements = [NEXT_CHANGE, PUT, USAGE];
    let status = StatementStatus::VmStep;
    for sql in statements {
        connection.prepare_cached(sql).unwrap().reset_status(status);
    }
    let task = task(id, Some("ann"));
    assert!(transact(connection, |transaction| add(transaction, &task, limits())).unwrap());
    let statements = statements.iter();
    let steps = statements.map(|sql| connection.prepare_cached(sql).unwrap().get_status(status));
    steps.sum()
}

#[test]
fn a_new_task_costs_the_same_however_many_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (mut connection, _) = connections::open(&folder.path().join("tasks.db")).unwrap();
    steps(&mut connection, "warm");
    let few = steps(&mut connection, "first");
    transact(&mut connection, |transaction| {
        for number in 0..10_000 {
            let principal = ["ann", "bob", "eve"][number % 3];
            let mut task = task(&format!("kept {number}"), Some(principal));
            if number % 2 == 0 {
                task.end(TaskState::Completed, None);
            }
            assert!(add(transaction, &task, limits())?);
        }
        Ok(())
    })
    .unwrap();
    let many = steps(&mut connection, "last");
    assert!(few > 20, "{few}");
    assert!(many <= 2 * few, "{few} steps at first, {many} at last");
}

#[tokio::test]
async fn usage_is_what_is_kept() {
    let (_folder, store, connection) = database();
    let mut last = task("task 3", None);
    for number in 0..4 {
        let principal = [None, Some("ann"), Some("*"), None][number];
        let task = task(&format!("task {number}"), principal);
        assert!(store.insert(task, limits()).await.unwrap());
    }
    last.version = 1;
    last.message = Some("a longer record".to_owned());
    last.end(TaskState::Failed, Some("it has failed".to_owned()));
    assert!(store.replace(last.clone()).await.unwrap());
    assert!(!store.replace(last).await.unwrap());
    store.remove("task 1").await.unwrap();
    store.remove("task 1").await.unwrap();
    let rows = |sql: &str| -> Vec<(String, i64, i64)> {
        let mut rows = connection.prepare(sql).unwrap();
        let rows = rows.query_map((), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
        rows.unwrap().map(Result::unwrap).collect()
    };
    let kept = rows(
        "SELECT owner, count(*) FILTER (WHERE NOT is_final), sum(bytes) FROM tasks GROUP BY owner \
        UNION ALL SELECT '*', count(*) FILTER (WHERE NOT is_final), sum(bytes) FROM tasks ORDER BY 1",
    );
    assert_eq!(rows("SELECT * FROM usage ORDER BY owner"), kept);
    assert_eq!(kept.len(), 3, "{kept:?}");
}

#[tokio::test]
async fn a_damaged_record_is_unreadable_and_others_are_not() {
    let (_folder, store, connection) = database();
    let damages = [
        "'{\"id\": \"no end'",
        "replace(record, 'working', 'thinking')",
        "x'ff00'",
        "7",
    ];
    for (number, damage) in damages.iter().enumerate() {
        let id = format!("damaged {number}");
        assert!(store.insert(task(&id, None), limits()).await.unwrap());
        let damage = format!("UPDATE tasks SET record = {damage} WHERE id = ?1");
        connection.execute(&damage, [&id]).unwrap();
        let error = store.load(&id).await.unwrap_err();
        assert!(matches!(error, TaskStoreError::Unreadable(_)), "{error:?}");
    }
    assert!(store.insert(task("whole", None), limits()).await.unwrap());
    assert!(store.load("whole").await.unwrap().is_some());
    assert_eq!(store.unfinished("runner").await.unwrap().len(), 5);
    assert_eq!(store.due(1_000).await.unwrap().0.len(), 5);
    store.remove("damaged 0").await.unwrap();
    assert!(store.load("damaged 0").await.unwrap().is_none());
}

#[tokio::test]
async fn reading_does_not_wait_for_a_locked_database_and_a_full_queue_is_busy() {
    let (_folder, store, mut connection) = database();
    assert!(store.insert(task("kept", None), limits()).await.unwrap());
    let lock = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate);
    let lock = lock.unwrap();
    let mut inserting = tokio::task::JoinSet::new();
    for number in 0..5 {
        inserting.spawn(store.insert(task(&format!("new {number}"), None), limits()));
    }
    let loaded = tokio::select! {
        biased;
        done = inserting.join_next() => panic!("the database is not locked: {done:?}"),
        loaded = store.load("kept") => loaded,
    };
    assert!(loaded.unwrap().is_some());
    // One operation is already running, and does not wait in the queue.
    let mut waiting = Vec::new();
    let refused = loop {
        let mut removed = store.remove("new");
        match now(&mut removed) {
            Some(outcome) => break outcome,
            None => waiting.push(removed),
        }
        assert!(waiting.len() <= QUEUED);
    };
    assert!(matches!(refused, Err(TaskStoreError::Busy)), "{refused:?}");
    drop(waiting);
    drop(lock);
    while let Some(inserted) = inserting.join_next().await {
        assert!(inserted.unwrap().unwrap());
    }
}

/// The output of a future that is ready.
fn now<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::Pin::new(future).poll(&mut cx) {
        std::task::Poll::Ready(outcome) => Some(outcome),
        std::task::Poll::Pending => None,
    }
}

#[tokio::test]
async fn the_threads_end_with_their_connections() {
    let folder = tempfile::tempdir().unwrap();
    let (_, readers) = connections::open(&folder.path().join("tasks.db")).unwrap();
    let count = readers.len();
    let connections = Connections::start(readers).unwrap();
    let (ended, has_ended) = mpsc::channel::<()>();
    let barrier = Arc::new(Barrier::new(count));
    let mut operations = tokio::task::JoinSet::new();
    for _ in 0..count {
        let ended = ended.clone();
        let barrier = Arc::clone(&barrier);
        operations.spawn(connections.run(false, move |_| {
            // Waits until there is one operation in each thread.
            barrier.wait();
            ENDED.set(Some(ended));
            Ok(())
        }));
    }
    while let Some(outcome) = operations.join_next().await {
        outcome.unwrap().unwrap();
    }
    drop((ended, connections));
    assert!(has_ended.recv().is_err());
}

thread_local! {
    /// A sender that is dropped when the thread ends.
    static ENDED: Cell<Option<mpsc::Sender<()>>> = const { Cell::new(None) };
}

#[test]
fn a_new_database_is_opened_by_all_that_open_it_together() {
    for _ in 0..25 {
        let folder = tempfile::tempdir().unwrap();
        let file = Arc::new(folder.path().join("tasks.db"));
        let barrier = Arc::new(Barrier::new(4));
        let opening: Vec<_> = (0..4)
            .map(|_| {
                let file = Arc::clone(&file);
                let barrier = Arc::clone(&barrier);
                std::thread::spawn(move || {
                    barrier.wait();
                    SqliteTaskStore::open(&*file).map(drop)
                })
            })
            .collect();
        for opened in opening {
            opened.join().unwrap().unwrap();
        }
    }
}

#[test]
fn opening_waits_for_another_process_that_prepares_the_new_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tasks.db");
    let other = Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (begin, begun) = mpsc::channel();
    let opening = std::thread::spawn(move || {
        begin.send(()).unwrap();
        SqliteTaskStore::open(file).map(drop)
    });
    begun.recv().unwrap();
    // Waits longer than an attempt takes, but not as long as opening waits for others.
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_millis(200) {
        std::thread::yield_now();
    }
    other.execute_batch("COMMIT").unwrap();
    opening.join().unwrap().unwrap();
}

#[test]
fn a_database_of_another_version_is_refused() {
    let (folder, store, connection) = database();
    drop(store);
    connection.pragma_update(None, "user_version", 1).unwrap();
    let error = SqliteTaskStore::open(folder.path().join("tasks.db")).unwrap_err();
    assert!(error.to_string().contains("version 1"), "{error}");
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    fn mode(file: &Path) -> u32 {
        std::fs::metadata(file).unwrap().permissions().mode() & 0o777
    }

    #[tokio::test]
    async fn a_new_database_belongs_to_its_owner_alone() {
        let (folder, store, _connection) = database();
        assert!(store.insert(task("kept", None), limits()).await.unwrap());
        for name in ["tasks.db", "tasks.db-wal", "tasks.db-shm"] {
            assert_eq!(mode(&folder.path().join(name)), 0o600, "{name}");
        }
    }
}
