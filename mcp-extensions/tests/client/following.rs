//! Tests calls that follow their tasks.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_extensions::tasks::{CallTask, Tasks};
use mcp_runtime::serde_json::{Value, json};
use mcp_runtime::testing::connect;
use mcp_runtime::transport::memory;
use mcp_runtime::{CallError, Client, ProtocolError, Revision};
use tokio::time::Instant;

use crate::lines::Lines;
use crate::scripted::{ID, Script, Seen, completed, status, working};

fn polled_every(interval: impl Into<Value>) -> Value {
    status("working", json!({"pollIntervalMs": interval.into()}))
}

#[tokio::test(start_paused = true)]
async fn a_task_is_polled_as_often_as_the_server_suggests_within_limits() {
    let script = Script::of([
        polled_every(2000),
        polled_every(1),
        polled_every(86_400_000),
        working(),
        completed("done"),
    ]);
    let (script, client) = script.client().await;
    let start = Instant::now();
    let done: String = client.call("work", json!({})).await.unwrap();
    assert_eq!(done, "done");
    assert_eq!(script.pauses(), [100, 3_600_000, 1000]);
    let all = Duration::from_millis(2000 + 100 + 3_600_000 + 1000);
    assert!(start.elapsed() - all < Duration::from_millis(10));
}

#[tokio::test(start_paused = true)]
async fn announced_changes_take_the_place_of_polls() {
    let mut script = Script::of([working(), working()]);
    let message = status("working", json!({"statusMessage": "half"}));
    script.announced = Some(vec![message, completed("done")]);
    let (script, client) = script.client().await;
    let done: String = client.call("work", json!({})).await.unwrap();
    assert_eq!(done, "done");
    assert_eq!(script.seen(), [Seen::Get]);

    // A change that is never announced is found by polling.
    let mut script = Script::of([working(), working(), completed("late")]);
    script.announced = Some(Vec::new());
    let (script, client) = script.client().await;
    let done: String = client.call("work", json!({})).await.unwrap();
    assert_eq!(done, "late");
    assert_eq!(script.pauses(), [10_000]);
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_task_is_that_of_the_call() {
    let failed = status(
        "failed",
        json!({"error": {"code": -32050, "message": "no film"}}),
    );
    let (_, client) = Script::of([working(), failed]).client().await;
    let error = client.call::<String>("work", json!({})).await.unwrap_err();
    assert!(
        matches!(&error, CallError::Rpc(error) if error.code == -32050),
        "{error}"
    );

    let cancelled = status("cancelled", json!({"statusMessage": "by the operator"}));
    let (_, client) = Script::of([working(), cancelled]).client().await;
    let error = client.call::<String>("work", json!({})).await.unwrap_err();
    assert!(
        error.to_string().contains("cancelled: by the operator"),
        "{error}"
    );

    let tool = json!({"content": [{"type": "text", "text": "broken"}], "isError": true});
    let tool = status("completed", json!({"result": tool}));
    let (_, client) = Script::of([working(), tool]).client().await;
    let error = client.call::<String>("work", json!({})).await.unwrap_err();
    assert!(
        matches!(&error, CallError::Tool(text) if text == "broken"),
        "{error}"
    );

    for malformed in [
        status("completed", json!({})),
        status("failed", json!({})),
        status("sleeping", json!({})),
        status("working", json!({"taskId": "t2"})),
    ] {
        let (_, client) = Script::of([working(), malformed]).client().await;
        let error = client.call::<String>("work", json!({})).await.unwrap_err();
        assert!(
            matches!(&error, CallError::Result { method, .. } if method == "tasks/get"),
            "{error}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_that_outlives_its_time_is_given_up() {
    // The clock of the server is set while the task runs, which must not matter.
    let lives = |updated: &str| {
        status(
            "working",
            json!({"ttlMs": 60_000, "createdAt": "2001-01-01T10:00:00.000+00:00",
            "lastUpdatedAt": updated}),
        )
    };
    let script = Script::of([lives("2001-01-01T10:00:30Z"), lives("2001-01-01T12:00:30Z")]);
    let (_, client) = script.client().await;
    let start = Instant::now();
    let error = client.call::<String>("work", json!({})).await.unwrap_err();
    assert!(error.to_string().contains("60000 ms"), "{error}");
    assert_eq!(start.elapsed().as_secs(), 120);
}

#[tokio::test(start_paused = true)]
async fn a_time_is_read_however_it_is_written() {
    for (interval, pause) in [
        (json!(2000.0), 2000),
        (json!(15e2), 1500),
        (json!(250.5), 250),
        (json!(1e300), 3_600_000),
        // The default is used if the time is invalid.
        (json!(-5), 1000),
        (json!("2s"), 1000),
        (json!(null), 1000),
    ] {
        for ttl in [json!(60_000.0), json!(-1), json!("1h"), json!(1e300)] {
            let times = json!({"ttlMs": ttl, "pollIntervalMs": interval});
            let script = Script::of([status("working", times), completed("done")]);
            let (_, client) = script.client().await;
            let start = Instant::now();
            let done: String = client.call("work", json!({})).await.unwrap();
            assert_eq!(done, "done", "{ttl} {interval}");
            // A pause ends with the time to live.
            let pause = if ttl == 60_000.0 {
                pause.min(60_000)
            } else {
                pause
            };
            assert_eq!(start.elapsed().as_millis(), pause, "{ttl} {interval}");
        }
    }
    let mut task = status("working", json!({"ttlMs": 60_000.0}));
    task.as_object_mut().unwrap().remove("createdAt");
    let (script, client) = Script::of([task.clone(), working()]).client().await;
    let error = client.call::<String>("work", json!({})).await.unwrap_err();
    assert!(error.to_string().contains("`createdAt`"), "{error}");
    script.cancelled().await;
    let (script, client) = Script::of([task, working()]).client().await;
    client
        .call_tool("work", json!({}))
        .task()
        .await
        .unwrap_err();
    script.cancelled().await;
}

#[tokio::test(start_paused = true)]
async fn no_pause_outlives_the_time_to_live() {
    const YEAR: u64 = 365 * 24 * 60 * 60 * 1000;
    let lives = || status("working", json!({"ttlMs": 5_000, "pollIntervalMs": YEAR}));
    let later = |pause: Value| {
        let error = ProtocolError::new(-32000, "too many");
        Err(error.with_data(json!({"retryAfterMs": pause})))
    };
    // Each poll is refused for a year. The last one is within the minute in which the server may be
    // late.
    let script = Script::of([lives()]);
    script
        .statuses
        .lock()
        .unwrap()
        .push_back(later(json!(YEAR)));
    let (script, client) = script.client().await;
    let start = Instant::now();
    let error = client.call::<String>("work", json!({})).await.unwrap_err();
    assert!(error.to_string().contains("5000 ms"), "{error}");
    assert_eq!(start.elapsed().as_millis(), 65_000);
    assert_eq!(script.pauses(), []);

    // The subscription announces nothing.
    let mut script = Script::of([lives(), lives(), completed("done")]);
    script.announced = Some(Vec::new());
    let (script, client) = script.client().await;
    let done: String = client.call("work", json!({})).await.unwrap();
    assert_eq!((&*done, &*script.pauses()), ("done", &[5_000][..]));

    // Without a time to live, a pause has its own limit.
    let script = Script::of([working()]);
    let statuses = [
        later(json!(1e300)),
        later(json!(7000.0)),
        Ok(completed("done")),
    ];
    script.statuses.lock().unwrap().extend(statuses);
    let (script, client) = script.client().await;
    let done: String = client.call("work", json!({})).await.unwrap();
    assert_eq!(
        (&*done, &*script.pauses()),
        ("done", &[3_600_000, 7000][..])
    );
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_names_a_time_is_waited_for_and_another_one_ends_the_call() {
    let script = Script::of([working()]);
    let later = ProtocolError::new(-32000, "too many").with_data(json!({"retryAfterMs": 7000}));
    script
        .statuses
        .lock()
        .unwrap()
        .extend([Err(later), Ok(completed("done"))]);
    let (script, client) = script.client().await;
    let done: String = client.call("work", json!({})).await.unwrap();
    assert_eq!((&*done, &*script.pauses()), ("done", &[7000][..]));

    let script = Script::of([working()]);
    let gone = ProtocolError::new(-32602, "no such task");
    script.statuses.lock().unwrap().push_back(Err(gone));
    let (_, client) = script.client().await;
    let error = client.call::<String>("work", json!({})).await.unwrap_err();
    assert!(
        matches!(&error, CallError::Rpc(error) if error.code == -32602),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_cancels_its_task() {
    let (script, client) = Script::of([working(), working()]).client().await;
    let call = client.call::<String>("work", json!({})).into_future();
    assert!(
        tokio::time::timeout(Duration::from_secs(5), call)
            .await
            .is_err()
    );
    script.cancelled().await;
}

/// A server that sends exactly the messages of the test, and its client.
async fn by_hand() -> (Lines, Client) {
    let (ours, theirs) = memory::pair();
    let mut server = Lines::open(theirs).await;
    let client = Client::builder("test", "1").extension(Tasks::client());
    let connecting = tokio::spawn(client.revision(Revision::LATEST).connect(ours));
    let discover = server.next().await;
    let discovered = json!({"resultType": "complete", "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {}, "extensions": {ID: {}}}, "ttlMs": 0, "cacheScope": "private"});
    server.answer(&discover, discovered).await;
    (server, connecting.await.unwrap().unwrap())
}

fn created() -> Value {
    let mut created = working();
    created["resultType"] = json!("task");
    created
}

#[tokio::test(start_paused = true)]
async fn progress_ends_with_the_answer_to_the_call() {
    let (mut server, client) = by_hand().await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let observed = Arc::clone(&seen);
    let call = client.call::<String>("work", json!({}));
    let call = call.on_progress(move |news| observed.lock().unwrap().push(news.progress));
    let call = tokio::spawn(call.into_future());
    let called = server.next().await;
    let progress = |progress: u8| {
        let token = &called["params"]["_meta"]["progressToken"];
        json!({"jsonrpc": "2.0", "method": "notifications/progress",
            "params": {"progressToken": token, "progress": progress}})
    };
    server.send(progress(1)).await;
    server.answer(&called, created()).await;
    server.send(progress(2)).await;
    let listen = server.next().await;
    assert_eq!(listen["method"], "subscriptions/listen");
    let error = json!({"code": -32601, "message": "there are no subscriptions"});
    let refusal = json!({"jsonrpc": "2.0", "id": listen["id"], "error": error});
    server.send(refusal).await;
    let get = server.next().await;
    assert_eq!(get["method"], "tasks/get");
    let mut done = completed("done");
    done["resultType"] = json!("complete");
    server.answer(&get, done).await;
    assert_eq!(call.await.unwrap().unwrap(), "done");
    assert_eq!(*seen.lock().unwrap(), [1.0]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_becomes_a_task_after_it_was_dropped_cancels_it() {
    let (mut server, client) = by_hand().await;
    let call = tokio::spawn(client.call::<String>("work", json!({})).into_future());
    let called = server.next().await;
    call.abort();
    assert_eq!(server.next().await["method"], "notifications/cancelled");
    server.answer(&called, created()).await;
    let cancel = server.next().await;
    assert_eq!(cancel["method"], "tasks/cancel");
    assert_eq!(cancel["params"]["taskId"], "t1");
}

#[tokio::test(start_paused = true)]
async fn a_call_has_its_time_limit_for_each_request_and_not_for_the_task() {
    let script = Script::of([polled_every(60_000), working(), completed("done")]);
    let (_, client) = script.client().await;
    let call = client.call::<String>("work", json!({}));
    let done = call.timeout(Duration::from_secs(2)).await.unwrap();
    assert_eq!(done, "done");
}

#[tokio::test(start_paused = true)]
async fn a_task_that_was_not_agreed_on_is_an_invalid_result() {
    let (_, server) = Script::of([working()]).server();
    let client = Client::builder("test", "1");
    let client = connect(server)
        .client(client)
        .revision(Revision::LATEST)
        .await
        .unwrap();
    let error = client.call::<String>("work", json!({})).await.unwrap_err();
    assert!(matches!(&error, CallError::Result { .. }), "{error}");
}
