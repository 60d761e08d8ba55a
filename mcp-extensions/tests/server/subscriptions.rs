//! Tests subscriptions to tasks.

use std::time::Duration;

use mcp_runtime::serde_json::{Value, json};

use crate::studio::Studio;
use crate::wire::Wire;

/// Removes the members that belong to the message around a status.
fn status(mut message: Value) -> Value {
    let members = message.as_object_mut().unwrap();
    members.remove("_meta");
    members.remove("resultType");
    message
}

#[tokio::test(start_paused = true)]
async fn each_change_of_a_task_is_announced_as_tasks_get_has_it() {
    let (server, _) = Studio::default().server();
    let mut wire = Wire::to(&server).await;
    let mut listener = Wire::to(&server).await;
    let id = wire.start("render", json!({"seconds": 5})).await;
    let other = wire.start("render", json!({"seconds": 4})).await;
    let filter = json!({"notifications": {"taskIds": [id, "guessed", id]}});
    let subscription = listener.send("subscriptions/listen", filter).await;
    let acknowledged = listener.next().await;
    assert_eq!(
        acknowledged["method"],
        "notifications/subscriptions/acknowledged"
    );
    assert_eq!(
        acknowledged["params"]["notifications"],
        json!({"taskIds": [id]})
    );

    wire.until(&other, "completed").await;
    let done = wire.until(&id, "completed").await;
    let news = listener.next().await;
    assert_eq!(news["method"], "notifications/tasks", "{news}");
    let meta = &news["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    assert_eq!(*meta, subscription);
    assert_eq!(status(news["params"].clone()), status(done));
}

#[tokio::test(start_paused = true)]
async fn progress_is_announced_at_most_once_a_second_and_never_as_progress() {
    let (server, _) = Studio::default().server();
    let mut wire = Wire::to(&server).await;
    let mut listener = Wire::to(&server).await;
    let id = wire.start("report", json!({"steps": 25})).await;
    let filter = json!({"notifications": {"taskIds": [id]}});
    listener.send("subscriptions/listen", filter).await;
    listener.next().await;
    let mut messages = Vec::new();
    loop {
        let news = listener.next().await;
        assert_eq!(news["method"], "notifications/tasks", "{news}");
        if news["params"]["status"] == "completed" {
            break;
        }
        messages.push(news["params"]["statusMessage"].clone());
    }
    assert!((2..=3).contains(&messages.len()), "{messages:?}");
}

#[tokio::test(start_paused = true)]
async fn a_filter_that_is_not_a_list_is_refused() {
    let (server, _) = Studio::default().server();
    let mut wire = Wire::to(&server).await;
    let filter = json!({"notifications": {"taskIds": "all"}});
    let error = wire.ask("subscriptions/listen", filter).await;
    assert_eq!(error["code"], -32602, "{error}");
    tokio::time::sleep(Duration::from_millis(1)).await;
}
