//! A store that takes its time to insert tasks.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_extensions::tasks::store::{MemoryTaskStore, StoreFuture, TaskRecord, TaskStore};
use mcp_extensions::tasks::{TaskLimits, Tasks};
use mcp_runtime::layer::BoxFuture;
use mcp_runtime::prelude::*;
use mcp_runtime::serde_json::json;
use tokio::sync::Notify;

use crate::studio::Studio;
use crate::wire::Wire;

/// Says when it inserts a task and when it has removed one, and inserts once it is told to.
#[derive(Clone, Default)]
struct SlowStore {
    tasks: MemoryTaskStore,
    inserting: Arc<Notify>,
    goes_on: Arc<Notify>,
    removed: Arc<Notify>,
    inserted: Arc<Mutex<Vec<Arc<str>>>>,
}

impl TaskStore for SlowStore {
    fn insert(&self, task: TaskRecord, limits: TaskLimits) -> StoreFuture<bool> {
        let store = self.clone();
        Box::pin(async move {
            store.inserting.notify_one();
            store.goes_on.notified().await;
            store.inserted.lock().unwrap().push(Arc::clone(&task.id));
            store.tasks.insert(task, limits).await
        })
    }

    fn load(&self, id: &str) -> StoreFuture<Option<Arc<TaskRecord>>> {
        self.tasks.load(id)
    }

    fn replace(&self, task: TaskRecord) -> StoreFuture<bool> {
        self.tasks.replace(task)
    }

    fn remove(&self, id: &str) -> StoreFuture<()> {
        self.removed.notify_one();
        self.tasks.remove(id)
    }

    fn changed(&self, id: &str, version: u64) -> BoxFuture<()> {
        self.tasks.changed(id, version)
    }

    fn due(&self, now: u64) -> StoreFuture<(Vec<Arc<str>>, Option<u64>)> {
        self.tasks.due(now)
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_cancelled_while_its_task_is_stored_leaves_none() {
    let store = SlowStore::default();
    let mut server = Studio::default().into_builder();
    server.extension(Tasks::new(store.clone()));
    let mut wire = Wire::to(&server.build()).await;
    let call = json!({"name": "forever", "arguments": {}});
    let id = wire.send("tools/call", call).await;
    store.inserting.notified().await;
    let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": id}});
    wire.send_raw(&cancelled).await;
    // What follows is served after the cancellation.
    wire.ask("tools/list", json!({})).await;
    store.goes_on.notify_one();
    let removed = tokio::time::timeout(Duration::from_secs(60), store.removed.notified());
    removed.await.unwrap();
    let inserted = store.inserted.lock().unwrap().clone();
    assert_eq!(inserted.len(), 1);
    assert!(store.tasks.load(&inserted[0]).await.unwrap().is_none());
}
