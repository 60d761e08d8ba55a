//! Tests calls that become tasks, and how the tasks end.

use std::time::Duration;

use mcp_extensions::tasks::store::MemoryTaskStore;
use mcp_extensions::tasks::{Task, TaskLimits, Tasks};
use mcp_runtime::prelude::*;
use mcp_runtime::serde_json::{Value, json};

use crate::studio::Studio;
use crate::wire::{ID, Wire};

#[tokio::test(start_paused = true)]
async fn a_fast_call_stays_a_plain_one_and_a_slow_one_becomes_a_task() {
    let (server, _) = Studio::default().server();
    let mut wire = Wire::to(&server).await;
    let plain = wire.call("render", json!({"seconds": 0})).await;
    assert_eq!(plain["resultType"], "complete", "{plain}");
    assert_eq!(plain["content"][0]["text"], "0 s");

    let created = wire.call("render", json!({"seconds": 5})).await;
    assert_eq!(created["resultType"], "task", "{created}");
    assert_eq!(created["status"], "working");
    assert_eq!(created["ttlMs"], 24 * 60 * 60 * 1000);
    assert_eq!(created["pollIntervalMs"], 2000);
    for absent in ["task", "result", "error", "inputRequests", "requestState"] {
        assert!(created.get(absent).is_none(), "{absent}: {created}");
    }
    let id = created["taskId"].as_str().unwrap();
    assert_eq!(id.len(), 32, "{id}");
    let working = wire.get(id).await;
    assert_eq!(working["resultType"], "complete");
    assert_eq!(working["status"], "working");
    assert_eq!(working["createdAt"], created["createdAt"]);

    let done = wire.until(id, "completed").await;
    assert_eq!(done["result"]["content"][0]["text"], "5 s", "{done}");
    assert!(
        done["lastUpdatedAt"].as_str() > done["createdAt"].as_str(),
        "{done}"
    );
}

#[tokio::test(start_paused = true)]
async fn clients_without_the_extension_get_plain_results_or_the_missing_capability() {
    let studio = Studio::default();
    let (server, _) = studio.server();
    let mut wire = Wire::to(&server).await;
    let id = wire.start("render", json!({"seconds": 5})).await;
    wire.capabilities = json!({"elicitation": {}});
    let plain = wire.call("render", json!({"seconds": 5})).await;
    assert_eq!(plain["content"][0]["text"], "5 s", "{plain}");
    let mut refused = vec![wire.call("fails", json!({})).await];
    refused.push(wire.get(&id).await);
    refused.push(wire.cancel(&id).await);
    refused.push(wire.update(&id, json!({})).await);
    let filter = json!({"notifications": {"taskIds": [id]}});
    refused.push(wire.ask("subscriptions/listen", filter).await);
    for error in refused {
        assert_eq!(error["code"], -32021, "{error}");
        assert_eq!(
            error["data"]["requiredCapabilities"]["extensions"][ID],
            json!({})
        );
    }
    assert!(!studio.noted().contains(&"entered".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn before_2026_07_28_calls_are_plain_and_required_tasks_fail_as_tools() {
    let (server, _) = Studio::default().server();
    let mut wire = Wire::to(&server).await;
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {"extensions": {ID: {}}},
        "clientInfo": {"name": "test", "version": "1"}}});
    wire.send_raw(&hello).await;
    let hello = wire.next().await;
    let capabilities = &hello["result"]["capabilities"];
    assert!(capabilities.get("tasks").is_none(), "{capabilities}");
    assert!(capabilities.get("extensions").is_none(), "{capabilities}");
    wire.send_raw(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        .await;
    let call = |id: u32, name: &str, arguments: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": name, "arguments": arguments, "task": {"ttl": 60000}}})
    };
    wire.send_raw(&call(2, "render", json!({"seconds": 5})))
        .await;
    let plain = wire.next().await;
    assert_eq!(plain["result"]["content"][0]["text"], "5 s", "{plain}");
    wire.send_raw(&call(3, "fails", json!({}))).await;
    let failed = wire.next().await;
    assert_eq!(failed["result"]["isError"], true, "{failed}");
    let text = failed["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("2026-07-28"), "{text}");
    wire.send_raw(&json!({"jsonrpc": "2.0", "id": 4, "method": "tools/list"}))
        .await;
    let list = wire.next().await;
    for tool in list["result"]["tools"].as_array().unwrap() {
        assert!(tool.get("execution").is_none(), "{tool}");
        let is_required = ["fails", "forever"].contains(&tool["name"].as_str().unwrap());
        let support = if is_required { "required" } else { "optional" };
        assert_eq!(tool["_meta"]["taskSupport"], support, "{tool}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_task_is_the_end_of_the_plain_call() {
    let (server, _) = Studio::default().server();
    let mut wire = Wire::to(&server).await;
    let id = wire.start("fails", json!({})).await;
    let done = wire.until(&id, "completed").await;
    assert_eq!(done["result"]["resultType"], "complete", "{done}");
    assert_eq!(done["result"]["isError"], true, "{done}");
    assert_eq!(done["result"]["content"][0]["text"], "no film");

    let id = wire.start("refuses", json!({})).await;
    let done = wire.until(&id, "failed").await;
    assert_eq!(done["error"], json!({"code": -32050, "message": "refused"}));
    assert!(done.get("result").is_none(), "{done}");

    let id = wire.start("panics", json!({})).await;
    let done = wire.until(&id, "failed").await;
    assert_eq!(done["error"]["code"], -32603, "{done}");
}

#[tokio::test(start_paused = true)]
async fn unknown_tasks_and_methods_are_errors() {
    let (server, _) = Studio::default().server();
    let mut wire = Wire::to(&server).await;
    for error in [
        wire.get("guessed").await,
        wire.cancel("guessed").await,
        wire.update("guessed", json!({})).await,
        wire.ask("tasks/get", json!({})).await,
    ] {
        assert_eq!(error["code"], -32602, "{error}");
    }
    for method in ["tasks/list", "tasks/result"] {
        let error = wire.ask(method, json!({"taskId": "x"})).await;
        assert_eq!(error["code"], -32601, "{method}: {error}");
    }
    let call = json!({"name": "render", "arguments": {"seconds": 0}, "task": {"ttl": 1}});
    let plain = wire.ask("tools/call", call).await;
    assert_eq!(plain["resultType"], "complete", "{plain}");
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_task_drops_its_function_and_a_finished_one_stays() {
    let studio = Studio::default();
    let (server, _) = studio.server();
    let mut wire = Wire::to(&server).await;
    let id = wire.start("render", json!({"seconds": 600})).await;
    let token = studio.token.lock().unwrap().clone().unwrap();
    assert!(!token.is_cancelled());
    let acknowledged = wire.cancel(&id).await;
    assert_eq!(acknowledged["resultType"], "complete");
    for absent in ["taskId", "status", "result", "error", "inputRequests"] {
        assert!(acknowledged.get(absent).is_none(), "{acknowledged}");
    }
    assert_eq!(wire.get(&id).await["status"], "cancelled");
    token.cancelled().await;
    assert_eq!(studio.noted(), ["dropped"]);

    let id = wire.start("render", json!({"seconds": 1})).await;
    let done = wire.until(&id, "completed").await;
    assert_eq!(wire.cancel(&id).await["resultType"], "complete");
    assert_eq!(wire.get(&id).await, done);
}

#[tokio::test(start_paused = true)]
async fn progress_is_the_message_of_the_status() {
    let (server, _) = Studio::default().server();
    let mut wire = Wire::to(&server).await;
    let id = wire.start("report", json!({"steps": 30})).await;
    tokio::time::sleep(Duration::from_millis(950)).await;
    // The first message is stored immediately, and the next one a second later.
    assert_eq!(wire.get(&id).await["statusMessage"], "reading (0 of 30)");
    tokio::time::sleep(Duration::from_millis(100)).await;
    let message = wire.get(&id).await["statusMessage"].clone();
    assert!(
        message == "reading (9 of 30)" || message == "reading (10 of 30)",
        "{message}"
    );
    let done = wire.until(&id, "completed").await;
    assert!(done.get("statusMessage").is_none(), "{done}");
}

#[tokio::test(start_paused = true)]
async fn a_task_fails_when_its_time_is_over_and_is_deleted_later() {
    let studio = Studio::default();
    let (server, _) = studio.server();
    let mut wire = Wire::to(&server).await;
    let id = wire.start("forever", json!({})).await;
    tokio::time::sleep(Duration::from_millis(9_900)).await;
    assert_eq!(wire.get(&id).await["status"], "working");
    assert!(studio.noted().is_empty());
    tokio::time::sleep(Duration::from_millis(200)).await;
    let failed = wire.get(&id).await;
    assert_eq!(failed["status"], "failed", "{failed}");
    assert_eq!(failed["error"]["code"], -32603, "{failed}");
    assert_eq!(studio.noted(), ["dropped"]);
    tokio::time::sleep(Duration::from_secs(5 * 60)).await;
    assert_eq!(wire.get(&id).await["code"], -32602);
}

#[tokio::test(start_paused = true)]
async fn servers_that_share_a_store_in_memory_have_one_time() {
    let store = MemoryTaskStore::new();
    let server = || {
        let mut server = Studio::default().into_builder();
        server.extension(Tasks::new(store.clone()));
        server.build()
    };
    let mut first = Wire::to(&server()).await;
    first.start("order", json!({})).await;
    tokio::time::sleep(Duration::from_secs(3_600)).await;
    let mut second = Wire::to(&server()).await;
    let id = second.start("order", json!({})).await;
    first.start("order", json!({})).await;
    tokio::time::sleep(Duration::from_millis(9_900)).await;
    assert_eq!(second.get(&id).await["status"], "working");
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(second.get(&id).await["status"], "failed");
}

#[tokio::test(start_paused = true)]
async fn beyond_the_limits_calls_stay_plain_and_required_tasks_are_refused_before_they_begin() {
    let studio = Studio::default();
    for limits in [
        TaskLimits::new().running(1, 9),
        TaskLimits::new().running(9, 1),
        TaskLimits::new().bytes(1000, 9_999),
        TaskLimits::new().bytes(9_999, 1000),
    ] {
        let (server, _) = studio.limited(limits);
        let mut wire = Wire::to(&server).await;
        wire.start("forever", json!({})).await;
        let plain = wire.call("render", json!({"seconds": 3})).await;
        assert_eq!(plain["content"][0]["text"], "3 s", "{plain}");
        let plain = wire.call("report", json!({"steps": 3})).await;
        assert_eq!(plain["content"][0]["text"], "read", "{plain}");
        let refused = wire.call("fails", json!({})).await;
        assert_eq!(refused["data"]["retryAfterMs"], 1000, "{refused}");
    }
    assert!(!studio.noted().contains(&"entered".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn work_elsewhere_is_reported_and_ended_by_the_id() {
    let (server, tasks) = Studio::default().server();
    let mut wire = Wire::to(&server).await;
    let id = wire.start("order", json!({})).await;
    let task = tasks.open(&id);
    assert!(task.message("in the queue").await.unwrap());
    assert_eq!(wire.get(&id).await["statusMessage"], "in the queue");
    let result = mcp_runtime::IntoToolResult::into_tool_result("printed").unwrap();
    assert!(task.complete(&result).await.unwrap());
    let done = wire.get(&id).await;
    assert_eq!(done["result"]["content"][0]["text"], "printed", "{done}");
    task.ended().await.unwrap();
    assert!(!task.complete(&result).await.unwrap());
    assert!(!tasks.open("guessed").message("…").await.unwrap());

    let id = wire.start("order", json!({})).await;
    let error = mcp_runtime::ProtocolError::new(-32050, "no paper");
    assert!(tasks.open(&id).fail(error).await.unwrap());
    assert_eq!(wire.get(&id).await["error"]["code"], -32050);

    wire.capabilities = json!({});
    let refused = wire.call("order", json!({})).await;
    assert!(refused.to_string().contains("extension"), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_shuts_down_waits_for_its_tasks() {
    let studio = Studio::default();
    let (server, _) = studio.server();
    let mut wire = Wire::to(&server).await;
    let done = wire.start("render", json!({"seconds": 3})).await;
    let left = wire.start("render", json!({"seconds": 60})).await;
    wire.close().await;
    assert_eq!(studio.noted(), ["rendered", "dropped", "dropped"]);
    // The store outlives the server.
    let mut wire = Wire::to(&server).await;
    assert_eq!(wire.get(&done).await["status"], "completed");
    assert_eq!(wire.get(&left).await["status"], "failed");
}

#[test]
fn a_server_with_a_time_that_can_not_be_read_does_not_start() {
    for (text, task) in [
        ("250 parsecs", (|| drop(Task::after("250 parsecs"))) as fn()),
        ("never", || drop(Task::now().ttl("never"))),
        ("0ms", || drop(Task::now().ttl("0ms"))),
    ] {
        let panic = std::panic::catch_unwind(task).unwrap_err();
        let message = panic.downcast_ref::<String>().map(String::as_str);
        let message = message.or_else(|| panic.downcast_ref::<&str>().copied());
        assert!(
            message.is_some_and(|it| it.contains(text) || it.contains("1 ms")),
            "{message:?}"
        );
    }
}
