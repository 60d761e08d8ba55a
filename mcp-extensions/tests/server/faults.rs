//! Tests tasks with a store that fails, stalls and recovers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_extensions::tasks::store::{SavedCall, TaskRecord, TaskStore as _};
use mcp_extensions::tasks::{TaskLimits, TaskState, Tasks};
use mcp_runtime::prelude::*;
use mcp_runtime::serde_json::json;
use mcp_runtime::types::{ClientCapabilities, RawJson};
use mcp_runtime::{Revision, Server};
use tokio::time::{Instant, sleep, timeout};
use tracing::field::Field;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::faulty_store::{Fault, FaultyStore, When};
use crate::studio::Studio;
use crate::wire::Wire;

const LEASE: Option<Duration> = Some(Duration::from_secs(3));
const GRACE: Duration = Duration::from_secs(5);

fn server(store: &FaultyStore) -> Server {
    let mut server = Studio::default().into_builder();
    server.extension(Tasks::new(store.clone()).grace(GRACE));
    server.build()
}

/// Stores a task of a process that has stopped. If there is a `tool`, its call has to run again.
async fn orphan(store: &FaultyStore, id: &str, tool: Option<&str>) {
    let call = tool.map(|tool| SavedCall {
        tool: tool.to_owned(),
        arguments: RawJson::empty_object(),
        revision: Revision::LATEST,
        capabilities: ClientCapabilities::new(),
        client: None,
    });
    let task = TaskRecord {
        call: call.map(Box::new),
        id: id.into(),
        runner: Some("stopped".into()),
        ..TaskRecord::default()
    };
    assert!(store.insert(task, TaskLimits::new()).await.unwrap());
}

async fn state_of(store: &FaultyStore, id: &str) -> Option<TaskState> {
    let task = store.all().await.into_iter().find(|task| &*task.id == id);
    task.map(|task| task.state)
}

/// Makes the requests of typical clients, whatever the answers are.
async fn use_tasks(wire: &mut Wire) {
    for (tool, arguments) in [
        ("render", json!({"seconds": 2})),
        ("report", json!({"steps": 3})),
        ("fails", json!({})),
        ("order", json!({})),
        ("forever", json!({})),
        ("ask", json!({})),
    ] {
        let created = wire.call(tool, arguments).await;
        let Some(id) = created["taskId"].as_str() else {
            continue;
        };
        sleep(Duration::from_millis(300)).await;
        wire.get(id).await;
        let answer = |value: &str| json!({"action": "accept", "content": {"answer": value}});
        let answers = json!({"name": answer("Ann"), "age": {"action": "decline"}});
        wire.update(id, answers).await;
        if tool == "render" {
            sleep(Duration::from_secs(3)).await;
        }
        wire.cancel(id).await;
    }
}

/// The number of store operations in a run without faults.
async fn operations(lease: Option<Duration>) -> usize {
    let store = FaultyStore::new(lease);
    let mut wire = Wire::to(&server(&store)).await;
    use_tasks(&mut wire).await;
    store.calls()
}

#[tokio::test(start_paused = true)]
async fn whichever_operation_fails_each_task_ends() {
    for lease in [None, LEASE] {
        let count = operations(lease).await;
        assert!(count > 30, "{count}");
        for fault in [Fault::Fails, Fault::LosesAnswer, Fault::Stalls] {
            for number in 0..count {
                let from = (number % 4 == 0).then_some(When::From(number));
                for when in from.into_iter().chain([When::At(number)]) {
                    let case = format!("{lease:?} {fault:?} {when:?}");
                    each_task_ends(lease, when, fault, &case).await;
                }
            }
        }
    }
}

async fn each_task_ends(lease: Option<Duration>, when: When, fault: Fault, case: &str) {
    let store = FaultyStore::new(lease);
    if lease.is_some() {
        for (id, tool) in [
            ("left 1", None),
            ("left 2", Some("brief")),
            ("left 3", None),
        ] {
            orphan(&store.other(), id, tool).await;
        }
    }
    store.set(when, fault);
    let mut wire = Wire::to(&server(&store)).await;
    let used = timeout(Duration::from_secs(600), use_tasks(&mut wire)).await;
    assert!(used.is_ok(), "{case}: a request hangs");
    store.restore();
    sleep(Duration::from_secs(70)).await;
    for task in store.all().await {
        // This task waits for an answer of its client.
        if task.state == TaskState::InputRequired {
            wire.cancel(&task.id).await;
        }
    }
    for task in store.all().await {
        assert!(task.state.is_final(), "{case}: {task:?}");
    }
    wire.close().await;
    assert_eq!(store.runners(), 0, "{case}");
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_ends_whatever_the_store_does_and_says_what_is_not_stored() {
    for lease in [None, LEASE] {
        for fault in [Fault::Fails, Fault::LosesAnswer, Fault::Stalls] {
            let store = FaultyStore::new(lease);
            let mut wire = Wire::to(&server(&store)).await;
            let done = wire.start("render", json!({"seconds": 2})).await;
            let left = wire.start("render", json!({"seconds": 600})).await;
            store.break_down(fault);
            let start = Instant::now();
            let error = wire.shut_down().await.unwrap_err();
            let case = format!("{lease:?} {fault:?} {error:?}");
            let most = GRACE + Duration::from_millis(2_100);
            assert!(start.elapsed() <= most, "{case}: {:?}", start.elapsed());
            assert!(matches!(error, ServeError::Shutdown(_)), "{case}");
            let error = std::error::Error::source(&error).unwrap().to_string();
            for id in [&done, &left] {
                assert!(error.contains(id), "{case}");
            }

            store.restore();
            let Some(lease) = lease else {
                continue;
            };
            let _other = Wire::to(&server(&store.other())).await;
            sleep(lease + Duration::from_secs(2)).await;
            for id in [done, left] {
                assert!(state_of(&store, &id).await.unwrap().is_final(), "{case}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_result_that_can_not_be_stored_for_long_fails_once_the_store_is_well() {
    let store = FaultyStore::new(None);
    let mut wire = Wire::to(&server(&store)).await;
    let short = wire.start("render", json!({"seconds": 1})).await;
    store.break_down(Fault::Fails);
    sleep(Duration::from_secs(60)).await;
    store.restore();
    sleep(Duration::from_secs(60)).await;
    assert_eq!(state_of(&store, &short).await, Some(TaskState::Completed));

    let long = wire.start("render", json!({"seconds": 1})).await;
    store.break_down(Fault::Fails);
    sleep(Duration::from_secs(3600)).await;
    assert_eq!(state_of(&store, &long).await, Some(TaskState::Working));
    store.restore();
    sleep(Duration::from_secs(2)).await;
    assert_eq!(state_of(&store, &long).await, Some(TaskState::Failed));
    wire.close().await;
}

#[tokio::test(start_paused = true)]
async fn a_process_that_can_not_renew_its_lease_loses_its_tasks_within_5_seconds() {
    for fault in [Fault::Fails, Fault::Stalls] {
        let store = FaultyStore::new(LEASE);
        let one = store.other();
        let other = store.other();
        let mut first = Wire::to(&server(&one)).await;
        let _second = Wire::to(&server(&other)).await;
        let id = first.start("render", json!({"seconds": 3600})).await;
        sleep(Duration::from_secs(60)).await;
        assert_eq!(state_of(&store, &id).await, Some(TaskState::Working));
        one.break_down(fault);
        sleep(Duration::from_millis(2_200)).await;
        assert_eq!(state_of(&store, &id).await, Some(TaskState::Working));
        sleep(Duration::from_millis(2_800)).await;
        assert_eq!(state_of(&store, &id).await, Some(TaskState::Failed));
    }
}

#[tokio::test(start_paused = true)]
async fn a_process_that_did_not_look_for_a_while_takes_nothing_from_live_ones() {
    for fault in [Fault::Fails, Fault::Stalls] {
        let store = FaultyStore::new(LEASE);
        let one = store.other();
        let other = store.other();
        let mut first = Wire::to(&server(&one)).await;
        let _second = Wire::to(&server(&other)).await;
        let id = first.start("render", json!({"seconds": 3600})).await;
        for seconds in 1..120 {
            other.break_down(fault);
            sleep(Duration::from_secs(seconds % 17)).await;
            other.restore();
            sleep(Duration::from_millis(seconds * 31 % 2_000)).await;
            assert_eq!(state_of(&store, &id).await, Some(TaskState::Working));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn no_process_ends_a_task_before_its_time_to_live_is_over() {
    for fault in [None, Some(Fault::Fails), Some(Fault::Stalls)] {
        let store = FaultyStore::new(LEASE);
        let one = store.other();
        let other = store.other();
        let mut first = Wire::to(&server(&one)).await;
        sleep(Duration::from_secs(100)).await;
        let _second = Wire::to(&server(&other)).await;
        // The first process counts no time for a while.
        if let Some(fault) = fault {
            one.break_down(fault);
            sleep(Duration::from_secs(100)).await;
            one.restore();
        }
        let start = Instant::now();
        let elsewhere = first.start("order", json!({})).await;
        let forever = first.start("forever", json!({})).await;
        sleep(Duration::from_millis(9_990) - start.elapsed().min(Duration::from_secs(9))).await;
        for id in [&elsewhere, &forever] {
            assert_eq!(state_of(&store, id).await, Some(TaskState::Working));
        }
        sleep(Duration::from_secs(5)).await;
        for id in [&elsewhere, &forever] {
            assert_eq!(state_of(&store, id).await, Some(TaskState::Failed));
        }
        // Failed tasks are kept for 5 minutes, although two processes check them.
        sleep(Duration::from_secs(290)).await;
        assert_eq!(state_of(&store, &forever).await, Some(TaskState::Failed));
        sleep(Duration::from_secs(15)).await;
        assert_eq!(state_of(&store, &forever).await, None);
    }
}

#[tokio::test(start_paused = true)]
async fn a_record_that_can_not_be_read_concerns_its_task_alone() {
    let store = FaultyStore::new(LEASE);
    for number in 0..3 {
        orphan(&store.other(), &format!("task {number}"), None).await;
    }
    store.make_unreadable("task 1");
    let log = Log::default();
    let _log = tracing::subscriber::set_default(log.clone());
    let mut wire = Wire::to(&server(&store)).await;
    let expiring = wire.start("order", json!({})).await;
    let damaged = wire.start("order", json!({})).await;
    store.make_unreadable(&damaged);
    sleep(Duration::from_secs(5)).await;
    for (id, state) in [
        ("task 0", TaskState::Failed),
        ("task 1", TaskState::Working),
        ("task 2", TaskState::Failed),
    ] {
        assert_eq!(state_of(&store, id).await, Some(state), "{id}");
    }
    for error in [
        wire.get(&damaged).await,
        wire.cancel(&damaged).await,
        wire.update("task 1", json!({})).await,
    ] {
        assert_eq!(error["code"], -32603, "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("can't be read"), "{error}");
    }
    sleep(Duration::from_secs(10)).await;
    assert_eq!(state_of(&store, &damaged).await, None);
    assert_eq!(wire.get(&expiring).await["status"], "failed");
    wire.close().await;
    let log = log.0.lock().unwrap();
    for id in ["task 1", &*damaged] {
        let lines = log.iter().filter(|line| line.contains(id));
        assert_eq!(lines.count(), 1, "{id}: {log:?}");
    }
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= tracing::Level::WARN
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = String::new();
        event.record(&mut |field: &Field, value: &dyn std::fmt::Debug| {
            line.push_str(&format!("{field}={value:?} "));
        });
        self.0.lock().unwrap().push(line);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_cancelled_while_its_task_is_stored_leaves_none() {
    let store = FaultyStore::new(None);
    store.set(When::From(0), Fault::Waits);
    let mut wire = Wire::to(&server(&store)).await;
    store.go_on();
    let call = json!({"name": "forever", "arguments": {}});
    let id = wire.send("tools/call", call).await;
    store.until("insert").await;
    let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": id}});
    wire.send_raw(&cancelled).await;
    // The server handles this request after the cancellation.
    wire.ask("tools/list", json!({})).await;
    store.restore();
    for _ in 0..3 {
        store.go_on();
        tokio::task::yield_now().await;
    }
    timeout(Duration::from_secs(60), store.until("remove"))
        .await
        .unwrap();
    sleep(Duration::from_secs(1)).await;
    assert_eq!(store.all().await.len(), 0);
}

async fn shut_down_often(lease: Option<Duration>) {
    for round in 0..200 {
        let store = FaultyStore::new(lease);
        let mut server = Studio::default().into_builder();
        let grace = match round % 2 {
            0 => Duration::from_secs(60),
            _ => Duration::from_millis(1),
        };
        server.extension(Tasks::new(store.clone()).grace(grace));
        let mut wire = Wire::to(&server.build()).await;
        let id = match round % 2 {
            0 => wire.start("brief", json!({})).await,
            _ => wire.start("forever", json!({})).await,
        };
        wire.shut_down().await.unwrap();
        let state = state_of(&store, &id).await;
        let expected = match (round % 2, lease) {
            (0, _) => TaskState::Completed,
            (_, None) => TaskState::Failed,
            (_, Some(_)) => TaskState::Working,
        };
        assert_eq!(state, Some(expected), "{round}");
        assert_eq!(store.runners(), 0, "{round}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_shutdown_gives_tasks_their_grace_and_ends_the_lease_on_many_threads() {
    shut_down_often(None).await;
    shut_down_often(LEASE).await;
}
