//! Limits of the sessions of HTTP servers, and of their stored events.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_runtime::BoxFuture;
use mcp_runtime::server::Reply;
use mcp_runtime::server::resources::{IntoContents as _, ResourceEntry, UriTemplate};
use mcp_runtime::server::tools::ToolEntry;
use mcp_runtime::store::StoreError;
use mcp_runtime::transport::http::{
    EventStore, HttpOptions, MemoryEventStore, SessionId, StoredEvent,
};
use mcp_runtime::types::{ResourceTemplate, Tool, ToolListChangedNotification};
use serde_json::json;

use crate::http_servers::{telling, tool_call};
use crate::support::clock::{Clock, in_time, until};
use crate::support::{self, call, initialize, request};
use crate::wire::{SECOND, Served, comes_after, get, read_now, read_until};

driven! {
    MAX_EVENT_ID_BYTES by max_event_id_bytes,
    MAX_SESSIONS by max_sessions,
    SESSION_IDLE by session_idle,
    MAX_INITIALIZE_BYTES by max_initialize_bytes,
    MAX_EARLY_CANCELLATIONS by max_early_cancellations,
    EARLY_CANCELLATION by early_cancellation,
    MAX_STREAM_MESSAGES by max_stream_messages,
    MAX_SESSION_MESSAGES by max_session_messages,
    MAX_SESSION_EVENTS by max_session_events,
    MAX_SESSION_EVENT_BYTES by max_session_event_bytes,
    MAX_EVENT_BYTES by max_event_bytes,
    STORE_PAUSE by store_pause,
}

async fn max_event_id_bytes() {
    let served = Served::http_with(&support::server(), HttpOptions::default());
    let session = served.session().await;
    for (length, status) in [(1024, "200"), (1025, "400")] {
        let id = format!("2-{:0>1$}", 0, length - 2);
        let mut stream = served.open(&get(&session, Some(&id))).await;
        let head = read_until(&mut stream, "\r\n\r\n").await;
        assert_eq!(head.split(' ').nth(1), Some(status), "{length}");
    }
}

async fn max_sessions() {
    let served = Served::http_with(&support::server(), HttpOptions::default().max_sessions(1));
    served.session().await;
    let refused = served.post(&[], &initialize("2025-11-25")).await;
    assert_eq!(refused.status, 503);
}

async fn session_idle() {
    let clock = Clock::stopped();
    let options = HttpOptions::default().session_idle(60 * SECOND);
    let served = Served::http_with(&support::server(), options);
    let session = served.session().await;
    let ping = request(1, "ping", json!({}));
    let headers = [("mcp-session-id", &*session)];
    for (waited, status) in [(50, 200), (50, 200), (70, 404)] {
        clock.pass(waited * SECOND).await;
        assert_eq!(served.post(&headers, &ping).await.status, status, "{waited}");
    }
}

/// Cancels a call that has not arrived.
async fn cancel(served: &Served, session: &str, id: u32) {
    let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": id}});
    let headers = [("mcp-session-id", session)];
    assert_eq!(served.post(&headers, &cancelled).await.status, 202);
}

async fn is_answered(served: &Served, session: &str, id: u32) -> bool {
    let headers = [("mcp-session-id", session)];
    let answer = served.post(&headers, &call(id, "echo", json!({}))).await;
    answer.body.contains("result")
}

async fn max_early_cancellations() {
    let served = Served::http_with(&support::server(), HttpOptions::default());
    let session = served.session().await;
    for id in 0..257 {
        cancel(&served, &session, id).await;
    }
    assert!(is_answered(&served, &session, 0).await);
    for id in [1, 256] {
        assert!(!is_answered(&served, &session, id).await, "{id}");
    }
}

async fn early_cancellation() {
    let clock = Clock::stopped();
    let served = Served::http_with(&support::server(), HttpOptions::default());
    let session = served.session().await;
    for (waited, answered) in [(4, false), (6, true)] {
        cancel(&served, &session, waited).await;
        clock.pass(waited * SECOND).await;
        assert_eq!(is_answered(&served, &session, waited).await, answered, "{waited}");
    }
}

async fn max_initialize_bytes() {
    let served = Served::http_with(&support::server(), HttpOptions::default());
    for (length, code) in [(60_000, None), (66_000, Some(-32602))] {
        let mut hello = initialize("2025-11-25");
        hello["params"]["clientInfo"]["name"] = "x".repeat(length).into();
        let answer = served.post(&[], &hello).await.json();
        assert_eq!(answer["error"]["code"].as_i64(), code, "{length}");
    }
}

async fn max_stream_messages() {
    let mut server = support::builder();
    let tool = Tool::new("chatty", json!({"type": "object"}));
    server.tool(ToolEntry::new(tool, |call| {
        let peer = call.context.peer();
        // The notifications are short, so that the limit on their number is reached first.
        while peer.notify::<ToolListChangedNotification>(None).is_ok() {}
        Reply::Ready(Ok(support::text(String::new())))
    }));
    let served = Served::http_with(&server.build(), HttpOptions::default());
    let answer = served.post(&[], &tool_call("chatty")).await;
    assert_eq!(answer.body.matches("list_changed").count(), 1024);
}

async fn max_session_messages() {
    let mut server = support::builder();
    let template = UriTemplate::parse("test://{name}").unwrap();
    let listed = ResourceTemplate::new("any", "");
    let entry = ResourceEntry::template(listed, template, |_| Reply::Ready("x".into_contents()));
    server.resource(entry.subscribable());
    let server = server.build();
    let clock = Clock::stopped();
    let served = Served::http_with(&server, HttpOptions::default());
    let session = served.session().await;
    let headers = [("mcp-session-id", &*session)];
    for number in 0..30 {
        let params = json!({"uri": format!("test://{number}")});
        served.post(&headers, &request(1, "resources/subscribe", params)).await;
        server.notify_resource_updated(format!("test://{number}"));
        clock.pass(SECOND).await;
    }
    // The queued messages arrive immediately, together with one more, for which they leave room.
    // The others arrive later.
    let told = in_time(first_read(&served, &session)).await;
    let told = told.matches("resources/updated").count();
    assert!((16..=17).contains(&told), "{told} messages wait");
}

async fn first_read(served: &Served, session: &str) -> String {
    let mut stream = served.open(&get(session, None)).await;
    let head = read_until(&mut stream, "\r\n\r\n").await;
    let mut rest = head.split_once("\r\n\r\n").unwrap().1.to_owned();
    while !rest.contains("resources/updated") {
        stream.readable().await.unwrap();
        rest.push_str(&read_now(&stream));
    }
    rest
}

/// Resumes a stream whose call has been answered, and returns its events.
async fn resumed(served: &Served, session: &str, stream: u64) -> String {
    let id = format!("{stream}-0");
    served.exchange(&get(session, Some(&id))).await.body
}

/// Makes `calls` calls of `tell`, and checks that the session keeps the events of the last `kept`
/// calls.
async fn events_kept(options: HttpOptions, bytes: usize, calls: u64, kept: std::ops::Range<u64>) {
    let served = Served::http_with(&telling(bytes), options);
    let session = served.session().await;
    let headers = [("mcp-session-id", &*session)];
    for id in 1..=calls {
        let answer = served.post(&headers, &call(id, "tell", json!({}))).await;
        assert!(answer.body.contains("progress"), "{answer:?}");
    }
    // The first stream belonged to `initialize`.
    let oldest = calls + 1 - kept.end;
    let newest = calls + 1 - kept.start;
    assert_eq!(resumed(&served, &session, oldest).await, "");
    assert!(resumed(&served, &session, newest).await.contains("\"result\""));
}

async fn max_session_events() {
    // Each call has two events.
    events_kept(HttpOptions::default(), 10, 200, 126..129).await;
}

async fn max_session_event_bytes() {
    events_kept(HttpOptions::default(), 100_000, 20, 9..11).await;
}

async fn max_event_bytes() {
    let options = HttpOptions::default().event_store(MemoryEventStore::with_max_bytes(50_000));
    events_kept(options, 10_000, 10, 3..5).await;
}

/// A store that fails to forget events.
#[derive(Clone, Default)]
struct Unforgetting(Arc<AtomicUsize>);

impl EventStore for Unforgetting {
    fn append(&self, _: SessionId, _: StoredEvent) -> BoxFuture<Result<(), StoreError>> {
        Box::pin(async { Ok(()) })
    }

    fn replay(
        &self,
        _: SessionId,
        _: u64,
        _: u64,
    ) -> BoxFuture<Result<Vec<StoredEvent>, StoreError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn forget(&self, _: SessionId) -> BoxFuture<Result<(), StoreError>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(async { Err(StoreError::new("full")) })
    }
}

async fn store_pause() {
    let clock = Clock::stopped();
    let store = Unforgetting::default();
    let calls = || store.0.load(Ordering::Relaxed);
    let options = HttpOptions::default().event_store(store.clone());
    let served = Served::http_with(&telling(0), options);
    let session = served.session().await;
    let headers = [("mcp-session-id", &*session)];
    served.post(&headers, &call(1, "tell", json!({}))).await;
    let delete = get(&session, None).replace("GET", "DELETE");
    served.exchange(&delete).await;
    until("it is called", || calls() == 1).await;
    let again = poll_fn(|cx| match calls() {
        1 => {
            cx.waker().wake_by_ref();
            std::task::Poll::Pending
        }
        _ => std::task::Poll::Ready(()),
    });
    comes_after(&clock, 10 * SECOND, again).await;
}
