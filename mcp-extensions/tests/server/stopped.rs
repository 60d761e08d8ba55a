//! Tests tasks in a SQLite database whose process has stopped.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_extensions::tasks::store::{SavedCall, SqliteTaskStore, TaskRecord, TaskStore as _};
use mcp_extensions::tasks::{Defer, Task, TaskLimits, TaskState, Tasks};
use mcp_runtime::prelude::*;
use mcp_runtime::serde_json::json;
use mcp_runtime::types::{ClientCapabilities, RawJson};
use mcp_runtime::{Revision, Server};
use tokio::sync::watch;

use crate::wire::Wire;

/// A server whose tools count their work, and wait until the test lets them continue.
#[derive(Clone, Default)]
struct Mill {
    ground: Arc<AtomicUsize>,
    /// True once functions may continue.
    going: Arc<watch::Sender<bool>>,
}

#[mcp_server(undocumented = "allow")]
impl Mill {
    #[tool(with(Task::deferred().restart()))]
    async fn grind(&self, sacks: u32, cx: &Context) -> Result<String, ToolError> {
        let first: String = cx.elicit("How fine?").await?;
        let count = || async { self.ground.fetch_add(1, Ordering::SeqCst) };
        cx.once("before", count()).await?;
        cx.defer().await?;
        cx.once("after", count()).await?;
        let again: String = cx.elicit("How fine?").await?;
        self.go().await;
        Ok(format!("{sacks} sacks, {first}, {again}"))
    }

    #[tool(with(Task::now().restart()))]
    async fn whose(&self, cx: &Context) -> String {
        cx.identity::<User>().unwrap().0.clone()
    }

    #[tool(with(Task::now()))]
    async fn once(&self) {
        self.go().await;
    }
}

struct User(String);

impl Mill {
    async fn go(&self) {
        self.going
            .subscribe()
            .wait_for(|going| *going)
            .await
            .unwrap();
    }

    fn process(&self, file: &Path) -> Server {
        let mut server = self.clone().into_builder();
        let store = SqliteTaskStore::open(file).unwrap();
        server.extension(Tasks::new(store).grace(Duration::from_millis(1)));
        server.build()
    }
}

fn accept(value: &str) -> mcp_runtime::serde_json::Value {
    json!({"action": "accept", "content": {"answer": value}})
}

#[tokio::test]
async fn a_task_runs_again_with_its_answers_and_values_or_fails() {
    let folder = tempfile::tempdir().unwrap();
    let mill = Mill::default();
    let file = folder.path().join("tasks.db");
    let mut wire = Wire::to(&mill.process(&file)).await;
    let arguments = json!({"sacks": 3});
    let asked = wire.call("grind", arguments.clone()).await;
    let (key, _) = asked["inputRequests"]
        .as_object()
        .unwrap()
        .iter()
        .next()
        .unwrap();
    let retry = json!({"name": "grind", "arguments": arguments, "requestState": asked["requestState"],
        "inputResponses": {key: accept("coarse")}});
    let created = wire.ask("tools/call", retry).await;
    assert_eq!(created["resultType"], "task", "{created}");
    let id = created["taskId"].as_str().unwrap();
    let asked = wire.until(id, "input_required").await;
    let (key, _) = asked["inputRequests"]
        .as_object()
        .unwrap()
        .iter()
        .next()
        .unwrap();
    wire.update(id, json!({key: accept("fine")})).await;
    let lost = wire.start("once", json!({})).await;
    assert_eq!(wire.get(id).await["status"], "working");

    // The process ends before its tasks do.
    wire.close().await;
    let mut wire = Wire::to(&mill.process(&file)).await;
    let failed = wire.until_final(&lost).await;
    assert_eq!(failed["status"], "failed", "{failed}");
    assert!(
        failed["statusMessage"]
            .as_str()
            .unwrap()
            .contains("stopped")
    );
    mill.going.send_replace(true);
    let done = wire.until_final(id).await;
    let result = &done["result"];
    assert_eq!(
        result["content"][0]["text"], "3 sacks, coarse, fine",
        "{done}"
    );
    assert!(result["_meta"].is_null(), "{result}");
    assert_eq!(mill.ground.load(Ordering::SeqCst), 2);
}

/// A task of a principal whose process has stopped.
fn orphan(principal: &str) -> TaskRecord {
    let call = SavedCall {
        tool: "whose".to_owned(),
        arguments: RawJson::empty_object(),
        revision: Revision::LATEST,
        capabilities: ClientCapabilities::new(),
        client: None,
    };
    TaskRecord {
        id: format!("task of {principal}").into(),
        principal: Some(principal.to_owned()),
        runner: Some("gone".into()),
        call: Some(Box::new(call)),
        ..TaskRecord::default()
    }
}

#[tokio::test]
async fn a_call_that_runs_again_has_the_identity_that_the_program_makes_of_the_principal() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteTaskStore::open(folder.path().join("tasks.db")).unwrap();
    for principal in ["ann", "nobody"] {
        store
            .insert(orphan(principal), TaskLimits::new())
            .await
            .unwrap();
    }
    let tasks = Tasks::new(store.clone()).identify(|principal, call| {
        call.insert(User(principal.to_owned()));
        (principal != "nobody").then_some(())
    });
    let mut server = Mill::default().into_builder();
    server.extension(tasks.clone());
    let _wire = Wire::to(&server.build()).await;
    for (principal, state) in [("ann", TaskState::Completed), ("nobody", TaskState::Failed)] {
        let id = format!("task of {principal}");
        tasks.open(&id).ended().await.unwrap();
        let task = store.load(&id).await.unwrap().unwrap();
        assert_eq!(task.state, state, "{task:?}");
        let result = task
            .result
            .as_ref()
            .map(|it| it.get().contains(r#""text":"ann""#));
        assert_eq!(result, (principal == "ann").then_some(true));
    }
}

#[tokio::test]
async fn two_processes_share_their_tasks() {
    let folder = tempfile::tempdir().unwrap();
    let mill = Mill::default();
    let file = folder.path().join("tasks.db");
    let mut one = Wire::to(&mill.process(&file)).await;
    let mut other = Wire::to(&mill.process(&file)).await;
    let first = one.start("once", json!({})).await;
    let second = one.start("once", json!({})).await;
    other.cancel(&first).await;
    assert_eq!(one.get(&first).await["status"], "cancelled");
    let filter = json!({"notifications": {"taskIds": [second]}});
    let mut listener = Wire::to(&mill.process(&file)).await;
    listener.send("subscriptions/listen", filter).await;
    listener.next().await;
    mill.going.send_replace(true);
    let news = listener.next().await;
    assert_eq!(news["params"]["status"], "completed", "{news}");
    assert_eq!(other.get(&second).await["status"], "completed");
}

#[tokio::test]
async fn a_server_whose_database_is_locked_shuts_down_with_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let mill = Mill::default();
    let file = folder.path().join("tasks.db");
    let mut wire = Wire::to(&mill.process(&file)).await;
    let left = wire.start("once", json!({})).await;
    let lock = rusqlite::Connection::open(&file).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = wire.shut_down().await.unwrap_err();
    assert!(matches!(error, ServeError::Shutdown(_)), "{error:?}");
    assert!(format!("{error:?}").contains(&left), "{error:?}");
}

#[tokio::test]
async fn a_damaged_task_concerns_no_other_and_goes_when_it_expires() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tasks.db");
    let store = SqliteTaskStore::open(&file).unwrap();
    for principal in ["ann", "bob", "eve"] {
        let mut task = orphan(principal);
        task.expires = (principal == "eve").then_some(0);
        assert!(store.insert(task, TaskLimits::new()).await.unwrap());
    }
    let connection = rusqlite::Connection::open(&file).unwrap();
    let damage = "UPDATE tasks SET record = replace(record, 'working', 'pondering') WHERE id <> ?1";
    connection.execute(damage, ["task of bob"]).unwrap();
    let tasks = Tasks::new(store.clone());
    let mut server = Mill::default().into_builder();
    server.extension(tasks.clone());
    let mut wire = Wire::to(&server.build()).await;
    tasks.open("task of bob").ended().await.unwrap();
    let damaged = wire.get("task of ann").await;
    assert_eq!(damaged["code"], -32603, "{damaged}");
    while store.load("task of eve").await.is_err() {
        tokio::task::yield_now().await;
    }
    assert!(store.load("task of eve").await.unwrap().is_none());
}

#[test]
fn a_file_that_is_not_a_database_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tasks.db");
    std::fs::write(
        &file,
        "not a database, but text that is long enough for a header",
    )
    .unwrap();
    let error = SqliteTaskStore::open(&file).unwrap_err();
    assert!(error.to_string().contains("not a database"), "{error}");
}
