//! Tests handles of tasks, tickets, and proxies.

use mcp_extensions::tasks::{CallTask, ResumeTask, TaskHandle, TaskState, TaskTicket, Tasks};
use mcp_runtime::proxy::{Proxy, Upstream};
use mcp_runtime::serde_json::json;
use mcp_runtime::server::McpServer as _;
use mcp_runtime::testing::connect;
use mcp_runtime::transport::memory;
use mcp_runtime::{CallError, Client, Revision};

use crate::scripted::{Script, Seen, completed, status, working};

#[tokio::test(start_paused = true)]
async fn a_handle_has_each_status_and_then_the_result() {
    let half = status("working", json!({"statusMessage": "half"}));
    let (_, client) = Script::of([working(), half, completed("done")])
        .client()
        .await;
    let mut task = client
        .call::<String>("work", json!({}))
        .task()
        .await
        .unwrap();
    assert_eq!(task.id(), Some("t1"));
    let mut seen = Vec::new();
    while let Some(status) = task.next().await.unwrap() {
        seen.push((status.state, status.message));
    }
    let expected = [
        (TaskState::Working, None),
        (TaskState::Working, Some("half".to_owned())),
        (TaskState::Completed, None),
    ];
    assert_eq!(seen, expected);
    assert_eq!(task.result().await.unwrap(), "done");
}

#[tokio::test(start_paused = true)]
async fn a_handle_that_is_dropped_leaves_its_task_and_one_that_cancels_does_not() {
    let (script, client) = Script::of([working(), working()]).client().await;
    let task = client
        .call::<String>("work", json!({}))
        .task()
        .await
        .unwrap();
    drop(task);
    client.ping().await.unwrap_err();
    assert!(script.seen().is_empty());

    let (script, client) = Script::of([working(), working()]).client().await;
    let task = client.call_tool("work", json!({})).task().await.unwrap();
    task.cancel().await.unwrap();
    assert_eq!(script.seen(), [Seen::Cancel]);

    let created = std::iter::repeat_with(working).take(3);
    let (script, client) = Script::of(created).client().await;
    let start = async || client.call_tool("work", json!({})).task().await.unwrap();
    drop(start().await.cancel_on_drop().detach());
    start().await.cancel_on_drop().cancel().await.unwrap();
    assert_eq!(script.seen(), [Seen::Cancel]);
    drop(start().await.cancel_on_drop());
    while script.seen().len() < 2 {
        script.changed.notified().await;
    }
    assert_eq!(script.seen(), [Seen::Cancel, Seen::Cancel]);

    let (script, client) = Script::of([working(), completed("done")]).client().await;
    let task = client.call_tool("work", json!({})).task().await.unwrap();
    task.cancel_on_drop().result().await.unwrap();
    client.close().await;
    assert_eq!(script.seen(), [Seen::Get]);
}

#[tokio::test(start_paused = true)]
async fn an_id_alone_is_enough_to_go_on() {
    let (_, client) = Script::of([working(), completed("done")]).client().await;
    let task = client.resume_id("t1").await.unwrap();
    assert_eq!(task.id(), Some("t1"));
    let result = task.result().await.unwrap();
    assert_eq!(result.content[0].as_text(), Some("done"));
}

#[tokio::test(start_paused = true)]
async fn another_client_goes_on_with_a_ticket() {
    let (_, server) = Script::of([working(), working(), completed("done")]).server();
    let client = || {
        let client = Client::builder("test", "1").extension(Tasks::client());
        connect(server.clone())
            .client(client)
            .revision(Revision::LATEST)
    };
    let first = client().await.unwrap();
    let task = first
        .call::<String>("work", json!({}))
        .task()
        .await
        .unwrap();
    let ticket = serde_json::to_string(&task.detach()).unwrap();
    assert_eq!(ticket, r#"{"server":"scripted","tool":"work","task":"t1"}"#);
    drop(first);
    let ticket: TaskTicket = serde_json::from_str(&ticket).unwrap();
    let second = client().await.unwrap();
    let task: TaskHandle<String> = second.resume(ticket.clone()).await.unwrap();
    assert_eq!(task.result().await.unwrap(), "done");

    let mut other = ticket;
    other.server = "another".to_owned();
    let error = second.resume::<String>(other).await.unwrap_err();
    assert!(error.to_string().contains("`another`"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_answered_with_a_result_is_done() {
    let (script, client) = Script::of([working()]).client().await;
    let call = || {
        client
            .call::<String>("work", json!({"how": "plain"}))
            .task()
    };
    let mut task = call().await.unwrap();
    assert!(task.id().is_none());
    assert!(task.next().await.unwrap().is_none());
    assert_eq!(task.result().await.unwrap(), "plain");
    let ticket = call().await.unwrap().detach();
    let task = client.resume::<String>(ticket).await.unwrap();
    assert_eq!(task.result().await.unwrap(), "plain");
    assert!(script.seen().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_handle_needs_the_extension() {
    let (_, server) = Script::of([working()]).server();
    let client = connect(server).client(Client::builder("test", "1"));
    let client = client.revision(Revision::LATEST).await.unwrap();
    let error = client
        .call::<String>("work", json!({}))
        .task()
        .await
        .unwrap_err();
    assert!(matches!(error, CallError::Result { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_task_passes_through_a_proxy_of_several_servers() {
    let (script, server) = Script::of([working(), working(), completed("done")]).server();
    let upstream = Upstream::new(move |client| {
        let (ours, theirs) = memory::pair();
        tokio::spawn(server.serve(theirs).signals(false).into_future());
        client.connect(ours)
    });
    let proxy = Proxy::several([("up", upstream)]).into_server();
    let client = Client::builder("test", "1").extension(Tasks::client());
    let client = connect(proxy).client(client).await.unwrap();
    let task = client.call::<String>("up_work", json!({})).task();
    let task = task.await.unwrap();
    assert_eq!(task.id(), Some("up_t1"));
    assert_eq!(task.result().await.unwrap(), "done");
    assert_eq!(script.seen().len(), 2);
}
