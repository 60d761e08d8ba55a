//! Streams of events in the handshake era: their messages, and how they are resumed.

use std::time::Duration;

use mcp_runtime::ServerBuilder;
use mcp_runtime::server::tools::ToolEntry;
use mcp_runtime::server::{FromContext as _, Reply};
use mcp_runtime::transport::http::HttpRequest;
use mcp_runtime::types::{ListRootsRequest, Request, Tool};
use serde_json::{Value, json};

use crate::site::{Site, read, read_until, tell};
use crate::support::{self, call};

/// Adds tools that send messages while they are running.
pub fn add_tools(server: &mut ServerBuilder) {
    let tool = |name| Tool::new(name, json!({"type": "object"}));
    server.tool(ToolEntry::new(tool("roots"), |call| {
        let peer = call.context.peer().clone();
        Reply::Pending(Box::pin(async move {
            let roots = peer.call::<ListRootsRequest>(&Default::default()).await;
            Ok(support::text(match roots {
                Ok(roots) => roots.roots[0].uri.clone(),
                Err(error) => error.to_string(),
            }))
        }))
    }));
    server.tool(ToolEntry::new(tool("session"), |call| {
        let request = HttpRequest::from_context(call.context).unwrap();
        let id = request.headers["mcp-session-id"].to_str().unwrap();
        Reply::Ready(Ok(support::text(id.to_owned())))
    }));
    server.tool(ToolEntry::new(tool("come_back"), |call| {
        let request = HttpRequest::from_context(call.context).unwrap();
        let peer = call.context.peer().clone();
        Reply::Pending(Box::pin(async move {
            tell(&peer);
            let closed = request.close_stream(Duration::from_millis(5));
            tokio::task::yield_now().await;
            tell(&peer);
            Ok(support::text(format!("closed: {closed}")))
        }))
    }));
}

/// Returns the `initialize` request of a client with roots.
pub fn with_roots(revision: &str) -> Value {
    let mut hello = support::initialize(revision);
    hello["params"]["capabilities"] = json!({"roots": {}});
    hello
}

/// Returns the ids of the events. Stream 1 carried the answer to the handshake, and stream 2
/// carries the answer to the first call.
fn ids(body: &str) -> Vec<&str> {
    body.lines()
        .filter_map(|line| line.strip_prefix("id: "))
        .collect()
}

#[tokio::test]
async fn events_have_ids_and_the_newest_revision_begins_with_an_empty_one() {
    let site = Site::open().await;
    for (revision, primed) in [("2025-06-18", false), ("2025-11-25", true)] {
        let session = site.session(revision).await;
        let answer = session.ask(&call(1, "tell", json!({}))).await;
        assert_eq!(answer.header("x-accel-buffering"), Some("no"));
        let messages = answer.messages();
        assert_eq!(messages[0]["method"], "notifications/progress");
        assert_eq!(messages[1]["id"], 1);
        let expected = if primed {
            &["2-0", "2-1", "2-2"][..]
        } else {
            &["2-1", "2-2"]
        };
        assert_eq!(ids(&answer.body), expected);
        assert_eq!(answer.body.starts_with("id: 2-0\ndata:\n\n"), primed);
    }
}

#[tokio::test]
async fn the_server_asks_on_the_stream_of_the_call() {
    let site = Site::open().await;
    let session = site
        .session_of(&with_roots("2025-06-18"), "2025-06-18")
        .await;
    let mut waiting = session.start(&call(1, "roots", json!({}))).await;
    let asked = read_until(&mut waiting, "roots/list").await;
    let asked = asked
        .lines()
        .find_map(|line| line.strip_prefix("data: "))
        .unwrap();
    let asked: Value = serde_json::from_str(asked).unwrap();
    assert_eq!(asked["method"], ListRootsRequest::METHOD);
    let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": {
        "roots": [{"uri": "file:///home"}],
    }});
    let accepted = session.ask(&answer).await;
    assert_eq!((accepted.status.as_u16(), &*accepted.body), (202, ""));
    let rest = read(waiting).await;
    assert_eq!(
        rest.messages()[0]["result"]["content"][0]["text"],
        "file:///home"
    );
    assert_eq!(
        session.ask(&answer).await.status,
        202,
        "nothing waits for it anymore"
    );
}

#[tokio::test]
async fn a_client_without_session_can_not_be_asked() {
    let site = Site::open().await;
    let message = support::stateless(1, "tools/call", json!({"name": "roots"}));
    let answer = site.ask(&message).await.json();
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("does not exist in revision 2026-07-28"),
        "{text}"
    );
}

#[tokio::test]
async fn a_stream_that_the_server_closed_is_resumed() {
    let site = Site::open().await;
    let session = site.session("2025-11-25").await;
    let first = session.ask(&call(1, "come_back", json!({}))).await;
    assert!(first.body.contains("retry: 5\n"), "{first:?}");
    assert!(!first.body.contains("\"result\""), "{first:?}");
    let last = *ids(&first.body).last().unwrap();
    assert_eq!(last, "2-1");
    let rest = read(session.listen(Some(last)).await).await;
    let messages = rest.messages();
    assert_eq!(messages[0]["method"], "notifications/progress");
    assert_eq!(messages[1]["result"]["content"][0]["text"], "closed: true");
    let all = read(session.listen(Some("2-0")).await).await;
    assert_eq!(all.messages().len(), 3, "{all:?}");
    assert_eq!(ids(&all.body), ["2-1", "2-2", "2-3"]);
}

#[tokio::test]
async fn a_stream_whose_connection_was_lost_is_resumed_while_the_call_goes_on() {
    let site = Site::open().await;
    let session = site
        .session_of(&with_roots("2025-11-25"), "2025-11-25")
        .await;
    let mut lost = session.start(&call(1, "roots", json!({}))).await;
    read_until(&mut lost, "roots/list").await;
    drop(lost);
    let mut resumed = session.listen(Some("2-0")).await;
    let again = read_until(&mut resumed, "roots/list").await;
    let asked = again
        .lines()
        .find_map(|line| line.strip_prefix("data: "))
        .unwrap();
    let id = serde_json::from_str::<Value>(asked).unwrap()["id"].clone();
    let answer = json!({"jsonrpc": "2.0", "id": id, "result": {"roots": [{"uri": "file:///a"}]}});
    session.ask(&answer).await;
    let rest = read(resumed).await;
    assert_eq!(rest.messages()[0]["id"], 1);
}

#[tokio::test]
async fn one_session_does_not_see_the_events_of_another() {
    let site = Site::open().await;
    let session = site.session("2025-11-25").await;
    session.ask(&call(1, "tell", json!({}))).await;
    let other = site.session("2025-11-25").await;
    assert_eq!(read(other.listen(Some("2-0")).await).await.body, "");
    assert_eq!(other.listen(Some("rubbish")).await.status(), 400);
}

#[tokio::test]
async fn a_name_of_an_event_that_is_too_long_is_refused() {
    let site = Site::open().await;
    let session = site.session("2025-11-25").await;
    for (length, status) in [(1024, 200), (1025, 400)] {
        let id = format!("2-{:0>1$}", 0, length - 2);
        assert_eq!(session.listen(Some(&id)).await.status(), status, "{length}");
    }
}

#[tokio::test]
async fn several_streams_are_open_at_once_and_get_takes_over_from_get() {
    let site = Site::open().await;
    let session = site.session("2025-11-25").await;
    let first = session.listen(None).await;
    assert_eq!(first.status(), 200);
    assert_eq!(first.headers()["content-type"], "text/event-stream");
    let mut calls = Vec::new();
    for id in 1..=3 {
        let mut waiting = session.start(&call(id, "tell_and_wait", json!({}))).await;
        read_until(&mut waiting, "notifications/progress").await;
        calls.push(waiting);
    }
    let mut second = session.listen(None).await;
    read_until(&mut second, "id: 0-0").await;
    read(first).await;
    let delete = session.request("DELETE").body(String::new()).unwrap();
    site.send(delete).await;
    read(second).await;
    for waiting in calls {
        assert_eq!(read(waiting).await.body, "", "the session is over");
    }
}

#[tokio::test]
async fn get_needs_a_client_that_takes_events() {
    let site = Site::open().await;
    let session = site.session("2025-11-25").await;
    let mut request = session.request("GET").body(String::new()).unwrap();
    request
        .headers_mut()
        .insert("accept", "application/json".parse().unwrap());
    assert_eq!(site.send(request).await.status, 406);
}
