//! Calls that are cancelled or abandoned.

use std::sync::Arc;
use std::time::Duration;

use mcp_runtime::server::Reply;
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

use crate::support::{self, Wire, builder, call, stateless, tool};

/// Reports when a handler, or what it waits for, is dropped.
struct Dropped(mpsc::UnboundedSender<&'static str>);

impl Drop for Dropped {
    fn drop(&mut self) {
        let _ = self.0.send("dropped");
    }
}

async fn wire_with_watched_tool() -> (Wire, mpsc::UnboundedReceiver<&'static str>) {
    let (events, received) = mpsc::unbounded_channel();
    let mut builder = builder();
    builder.tool(tool("watched", move |_| {
        let dropped = Dropped(events.clone());
        Reply::Pending(Box::pin(async move {
            dropped.0.send("started").unwrap();
            Notify::new().notified().await;
            unreachable!("nothing notifies")
        }))
    }));
    (Wire::to(&builder.build()).await, received)
}

fn cancel(id: impl Into<Value>) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": id.into(), "reason": "a test"}})
}

#[tokio::test]
async fn a_cancelled_handler_is_dropped_and_nothing_is_sent_for_it() {
    let (mut wire, mut events) = wire_with_watched_tool().await;
    wire.handshake("2025-06-18").await;
    wire.send(call("a", "watched", json!({}))).await;
    assert_eq!(events.recv().await, Some("started"));
    wire.send(cancel("a")).await;
    while events.recv().await != Some("dropped") {}
    wire.lives_on().await;
    assert_eq!(wire.drain().await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_stateless_call_is_cancelled_alike() {
    let (mut wire, mut events) = wire_with_watched_tool().await;
    wire.send(stateless(7, "tools/call", json!({"name": "watched"})))
        .await;
    assert_eq!(events.recv().await, Some("started"));
    wire.send(cancel(7)).await;
    while events.recv().await != Some("dropped") {}
    wire.lives_on().await;
}

#[tokio::test]
async fn cancelling_what_is_unknown_or_finished_is_ignored() {
    let mut wire = Wire::operating("2025-06-18").await;
    wire.ask(call(1, "echo", json!({}))).await;
    for id in [json!(0), json!(1), json!("x")] {
        wire.send(cancel(id)).await;
    }
    wire.lives_on().await;
}

#[tokio::test(start_paused = true)]
async fn calls_in_flight_at_the_end_of_input_may_finish() {
    let release = Arc::new(Notify::new());
    let mut builder = builder();
    let waiting = Arc::clone(&release);
    builder.tool(tool("wait", move |_| {
        let waiting = Arc::clone(&waiting);
        Reply::Pending(Box::pin(async move {
            waiting.notified().await;
            Ok(support::text("done".into()))
        }))
    }));
    let mut wire = Wire::to(&builder.build()).await;
    wire.send(stateless(1, "tools/call", json!({"name": "wait"})))
        .await;
    wire.lives_on().await;
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(5)).await;
        release.notify_one();
    });
    let rest = wire.drain().await;
    assert_eq!(rest[0]["result"]["content"][0]["text"], "done", "{rest:?}");
}

#[tokio::test(start_paused = true)]
async fn calls_that_outlast_the_drain_time_are_cancelled() {
    let (mut wire, mut events) = wire_with_watched_tool().await;
    wire.send(stateless(1, "tools/call", json!({"name": "watched"})))
        .await;
    assert_eq!(events.recv().await, Some("started"));
    let begun = tokio::time::Instant::now();
    assert_eq!(wire.drain().await, Vec::<Value>::new());
    while events.recv().await != Some("dropped") {}
    let waited = begun.elapsed();
    assert!(
        waited >= Duration::from_secs(10) && waited < Duration::from_secs(11),
        "{waited:?}"
    );
}

#[tokio::test]
async fn a_server_that_shuts_down_refuses_new_calls_and_finishes_the_old_ones() {
    use mcp_runtime::transport::memory;

    let release = Arc::new(Notify::new());
    let waiting = Arc::clone(&release);
    let mut builder = builder();
    builder.tool(tool("wait", move |_| {
        let waiting = Arc::clone(&waiting);
        Reply::Pending(Box::pin(async move {
            waiting.notified().await;
            Ok(support::text("done".into()))
        }))
    }));
    let (ours, theirs) = memory::pair();
    let serving = builder.build().serve(theirs).signals(false);
    let handle = serving.shutdown_handle();
    let mut wire = Wire::with(ours, tokio::spawn(serving.into_future())).await;
    wire.send(stateless(1, "tools/call", json!({"name": "wait"})))
        .await;
    wire.lives_on().await;
    handle.shut_down();
    tokio::task::yield_now().await;
    let refused = wire.ask(stateless(2, "tools/list", json!({}))).await;
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!(2), &json!(-32603))
    );
    release.notify_one();
    assert_eq!(wire.answer().await["id"], 1);
    assert_eq!(wire.next().await, None);
    wire.serving.await.unwrap().unwrap();
}
