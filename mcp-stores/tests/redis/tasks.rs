//! Tasks in Redis.

use std::time::{Duration, Instant};

use mcp_extensions::tasks::TaskLimits;
use mcp_extensions::tasks::store::{TaskRecord, TaskStore as _, TaskStoreError};
use mcp_extensions::testing::store_contract;

use crate::server::Server;

fn task(id: &str) -> TaskRecord {
    TaskRecord {
        id: id.into(),
        runner: Some("runner".into()),
        ..TaskRecord::default()
    }
}

#[tokio::test]
async fn redis_keeps_the_contract_of_stores_of_tasks() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let store = server.connect().await.tasks();
    store_contract(store, server.connect().await.tasks()).await;
    // All that is left is the time.
    assert_eq!(server.run("DBSIZE"), ":1");
}

#[tokio::test]
async fn a_process_hears_of_changes_by_others_immediately() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let [store, other] = [
        server.connect().await.tasks(),
        server.connect().await.tasks(),
    ];
    store.insert(task("task"), TaskLimits::new()).await.unwrap();
    // The first wait begins to listen, and returns with the gap.
    other.changed("task", 0).await;
    let mut times = Vec::new();
    for version in 0..20 {
        let waiting = tokio::spawn(other.changed("task", version));
        // The waiting task has begun to wait when its load is answered before this one.
        other.load("task").await.unwrap();
        let start = Instant::now();
        let mut next = task("task");
        next.version = version + 1;
        assert!(store.replace(next).await.unwrap());
        waiting.await.unwrap();
        times.push(start.elapsed());
    }
    times.sort();
    eprintln!("a change is heard after {:?} (median)", times[10]);
    assert!(times[10] < Duration::from_millis(100), "{times:?}");
}

#[tokio::test]
async fn a_damaged_record_is_unreadable_and_can_be_removed() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let store = server.connect().await.tasks();
    for id in ["damaged", "whole"] {
        assert!(store.insert(task(id), TaskLimits::new()).await.unwrap());
    }
    let damaged = server.run("HSET {test:tasks}:task:damaged record {");
    assert_eq!(damaged, ":0");
    let error = store.load("damaged").await.unwrap_err();
    assert!(matches!(error, TaskStoreError::Unreadable(_)), "{error:?}");
    assert_eq!(store.unfinished("runner").await.unwrap().len(), 2);
    store.remove("damaged").await.unwrap();
    assert!(store.load("damaged").await.unwrap().is_none());
    assert!(store.load("whole").await.unwrap().is_some());
}

#[tokio::test]
async fn a_full_redis_takes_no_new_tasks_and_existing_ones_end() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    let store = server.connect().await.tasks();
    assert!(store.insert(task("task"), TaskLimits::new()).await.unwrap());
    assert_eq!(server.run("CONFIG SET maxmemory 1"), "+OK");
    let refused = store.insert(task("new"), TaskLimits::new()).await;
    assert!(
        matches!(refused, Err(TaskStoreError::Failed(_))),
        "{refused:?}"
    );
    let mut next = task("task");
    next.version = 1;
    assert!(store.replace(next).await.unwrap());
    store.remove("task").await.unwrap();
    assert_eq!(server.run("CONFIG SET maxmemory 0"), "+OK");
    assert_eq!(server.run("DBSIZE"), ":0");
}
