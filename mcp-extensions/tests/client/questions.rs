//! Tests questions of tasks, which the handlers of a client answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_runtime::client::ClientBuilder;
use mcp_runtime::serde_json::json;
use mcp_runtime::{CallError, Client};

use crate::scripted::{Script, Seen, asking, completed, working};

/// A client that answers questions after a while, and counts them.
fn answering(after: Duration) -> (Arc<AtomicUsize>, ClientBuilder) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let client = Client::builder("test", "1").on_form(move |form| {
        count.fetch_add(1, Ordering::SeqCst);
        async move {
            tokio::time::sleep(after).await;
            form.accept(json!({"name": "Ada"}))
        }
    });
    (asked, client)
}

#[tokio::test(start_paused = true)]
async fn each_question_is_answered_once_and_all_that_are_new_together() {
    let (asked, client) = answering(Duration::ZERO);
    let script = Script::of([
        asking(&["a", "b"]),
        asking(&["a", "b"]),
        asking(&["b", "c"]),
        working(),
        completed("done"),
    ]);
    let (script, client) = script.client_of(client).await;
    let done: String = client.call("work", json!({})).await.unwrap();
    assert_eq!(done, "done");
    let answer = json!({"action": "accept", "content": {"name": "Ada"}});
    let updates: Vec<_> = script
        .seen()
        .into_iter()
        .filter(|seen| *seen != Seen::Get)
        .collect();
    let expected = [json!({"a": answer, "b": answer}), json!({"c": answer})];
    assert_eq!(updates, expected.map(Seen::Update));
    assert_eq!(asked.load(Ordering::SeqCst), 3);
}

#[tokio::test(start_paused = true)]
async fn without_a_handler_the_task_is_cancelled_and_the_call_fails() {
    let (script, client) = Script::of([asking(&["a"]), working()]).client().await;
    let error = client.call::<String>("work", json!({})).await.unwrap_err();
    assert!(matches!(error, CallError::InputRequired { .. }), "{error}");
    assert_eq!(script.seen(), [Seen::Cancel]);
}

#[tokio::test(start_paused = true)]
async fn a_task_that_ends_while_somebody_is_asked_ends_the_call() {
    let (_, client) = answering(Duration::from_secs(3600));
    let script = Script::of([asking(&["a"]), asking(&["a"]), completed("done")]);
    let (script, client) = script.client_of(client).await;
    let start = tokio::time::Instant::now();
    let done: String = client.call("work", json!({})).await.unwrap();
    assert_eq!(done, "done");
    assert!(start.elapsed() < Duration::from_secs(60));
    assert_eq!(script.seen(), [Seen::Get, Seen::Get]);
}
