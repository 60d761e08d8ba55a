//! Limits of HTTP clients.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http::{HeaderMap, Request};
use mcp_runtime::BoxFuture;
use mcp_runtime::transport::http_client::{AfterChallenge, AuthHttp, AuthResult, Authenticator, Challenge, RequestInfo, http_client};
use mcp_runtime::transport::{FrameWriter as _, Outbox, Transport as _};
use mcp_runtime::types::CallToolResult;
use mcp_runtime::{CallError, Client, ClientBuilder, Era};
use serde_json::json;
use tokio::task::JoinHandle;
use tracing::Level;

use crate::scripted::{Exchange, Gate, Scripted};
use crate::support::clock::{Clock, in_time, until};
use crate::support::log::Log;
use crate::wire::{SECOND, comes_after};

driven! {
    EXCERPT_CHARS by excerpt_chars,
    HTTP_RETRIES by http_retries,
    FIRST_RETRY by first_retry,
    MAX_RETRY_AFTER by max_retry_after,
    MAX_REDIRECTS by max_redirects,
    MAX_PARAM_HEADER_BYTES by max_param_header_bytes,
    RESUMPTION_PAUSE by resumption_pause,
    MIN_RESUMPTION_PAUSE by min_resumption_pause,
    MAX_RESUMPTION_PAUSE by max_resumption_pause,
    MAX_RESUMPTIONS by max_resumptions,
    STABLE_STREAM by stable_stream,
    #[cfg(target_os = "linux")]
    TCP_KEEP_ALIVE by tcp_keep_alive,
    ENDPOINT_TIMEOUT by endpoint_timeout,
    SESSION_END_TIMEOUT by session_end_timeout,
    MAX_CHALLENGES by max_challenges,
    AUTH_REQUEST_TIMEOUT by auth_request_timeout,
    AUTH_ANSWER_BYTES by auth_answer_bytes,
    HTTP_INBOX by http_inbox,
    MAX_UNSENT_NOTIFICATIONS by max_unsent_notifications,
}

const MILLISECOND: Duration = Duration::from_millis(1);

fn builder() -> ClientBuilder {
    let client = Client::builder("test", "1").era(Era::Handshake);
    client.without_keep_alive().without_reconnect()
}

async fn connect(server: &Scripted) -> Client {
    in_time(builder().connect(http_client(server.url()))).await.unwrap()
}

type Calling = JoinHandle<Result<CallToolResult, CallError>>;

fn call(client: &Client, tool: &str) -> Calling {
    tokio::spawn(client.call_tool(tool, json!({})).into_future())
}

async fn answering(status: u16, headers: &'static str) -> Scripted {
    Scripted::operating(move |exchange| exchange.reply(status, headers, "")).await
}

async fn excerpt_chars() {
    let server = Scripted::operating(|exchange| async {
        exchange.reply(500, "", &"x".repeat(10_000)).await;
    });
    let error = in_time(call(&connect(&server.await).await, "x")).await.unwrap();
    match error {
        Err(CallError::Http(error)) => assert_eq!(error.excerpt.len(), 200),
        other => panic!("{other:?}"),
    }
}

async fn http_retries() {
    for retries in [0, 2] {
        let server = answering(503, "").await;
        let mut url = http_client(server.url());
        if retries != 2 {
            url = url.retries(retries);
        }
        let client = in_time(builder().connect(url)).await.unwrap();
        let clock = Clock::stopped();
        clock.run_until(MILLISECOND, call(&client, "x")).await.unwrap().unwrap_err();
        assert_eq!(server.count("tools/call"), 1 + retries as usize);
        clock.go_on();
    }
}

async fn first_retry() {
    let server = answering(503, "").await;
    let client = connect(&server).await;
    let clock = Clock::stopped();
    let _calling = call(&client, "x");
    server.seen_often("tools/call", 1).await;
    // The pause is 200 ms, shortened by up to a quarter.
    let again = server.seen_often("tools/call", 2);
    comes_after(&clock, Duration::from_millis(150), again).await;
}

async fn max_retry_after() {
    let server = answering(503, "retry-after: 11\r\n").await;
    let client = connect(&server).await;
    in_time(call(&client, "x")).await.unwrap().unwrap_err();
    assert_eq!(server.count("tools/call"), 1);

    let server = answering(503, "retry-after: 10\r\n").await;
    let client = connect(&server).await;
    let clock = Clock::stopped();
    let _calling = call(&client, "x");
    server.seen_often("tools/call", 1).await;
    comes_after(&clock, 10 * SECOND, server.seen_often("tools/call", 2)).await;
}

async fn max_redirects() {
    let server = answering(307, "location: /mcp\r\n").await;
    in_time(call(&connect(&server).await, "x")).await.unwrap().unwrap_err();
    assert_eq!(server.count("tools/call"), 1 + 5);
}

/// Returns true if the client still knows the header of a tool that was listed together with `names`
/// tools whose names have 1,000 bytes.
async fn is_remembered(names: usize) -> bool {
    let server = Scripted::new(move |exchange| async move {
        match &*exchange.name() {
            "server/discover" => {
                let result = json!({"resultType": "complete", "supportedVersions": ["2026-07-28"],
                    "capabilities": {"tools": {}}, "ttlMs": 0, "cacheScope": "private"});
                exchange.result(result).await;
            }
            "tools/list" => {
                let region = json!({"type": "string", "x-mcp-header": "Region"});
                let schema = json!({"type": "object", "properties": {"region": region}});
                let first = std::iter::once("query".to_owned());
                let others = (0..names).map(|n| format!("{n:01000}"));
                let tools = first.chain(others);
                let tools: Vec<_> = tools
                    .map(|name| json!({"name": name, "inputSchema": schema}))
                    .collect();
                let result = json!({"resultType": "complete", "tools": tools, "ttlMs": 0,
                    "cacheScope": "private"});
                exchange.result(result).await;
            }
            _ => {
                let has_header = exchange.headers.contains_key("mcp-param-region");
                exchange.say(if has_header { "yes" } else { "no" }).await;
            }
        }
    });
    let server = server.await;
    let client = Client::builder("test", "1").era(Era::Stateless);
    let client = in_time(client.connect(http_client(server.url()))).await.unwrap();
    in_time(client.list_tools()).await.unwrap();
    let arguments = json!({"region": "us"});
    let called = in_time(client.call_tool("query", arguments).into_future()).await;
    called.unwrap().texts().eq(["yes"])
}

async fn max_param_header_bytes() {
    assert!(is_remembered(1000).await);
    assert!(!is_remembered(1048).await);
}

/// Starts a server whose streams send this event but never an answer, even after they are resumed.
async fn unanswering(event: &'static str) -> Scripted {
    Scripted::new(move |exchange| async move {
        let resumes = exchange.headers.contains_key("last-event-id");
        if exchange.name() == "tools/call" || resumes {
            exchange.stream(event).await;
        } else {
            exchange.shake_hands().await;
        }
    })
    .await
}

/// Checks that the stream of a call is resumed after the given pause.
async fn resumed_after(event: &'static str, pause: Duration) {
    let server = unanswering(event).await;
    let client = connect(&server).await;
    server.until_seen("GET", 1).await;
    let clock = Clock::stopped();
    let _calling = call(&client, "x");
    server.seen_often("tools/call", 1).await;
    comes_after(&clock, pause, server.seen_often("GET", 2)).await;
}

async fn resumption_pause() {
    resumed_after("id: 1\ndata:\n\n", SECOND).await;
}

async fn min_resumption_pause() {
    resumed_after("id: 1\nretry: 0\ndata:\n\n", 100 * MILLISECOND).await;
}

async fn max_resumptions() {
    let server = unanswering("id: 1\nretry: 0\ndata:\n\n").await;
    let client = connect(&server).await;
    let clock = Clock::stopped();
    clock.run_until(10 * MILLISECOND, call(&client, "x")).await.unwrap().unwrap_err();
    // The first GET was for the stream of the session.
    assert_eq!(server.count("GET"), 1 + 5);
}

/// Starts a server whose session streams end immediately, except for the fourth, which ends when
/// `gate` opens.
async fn breaking(gate: &Gate) -> Scripted {
    let opened = AtomicUsize::new(0);
    let gate = gate.clone();
    Scripted::new(move |exchange| {
        let is_fourth = exchange.verb == "GET" && opened.fetch_add(1, Ordering::Relaxed) == 3;
        let gate = gate.clone();
        async move {
            if exchange.verb != "GET" {
                exchange.shake_hands().await;
                return;
            }
            let _stream = exchange.stream(":\n\n").await;
            if is_fourth {
                gate.passed().await;
            }
        }
    })
    .await
}

async fn max_resumption_pause() {
    let gate = Gate::new();
    gate.open();
    let server = breaking(&gate).await;
    let clock = Clock::stopped();
    let _client = connect(&server).await;
    // Without the limit, the pause before the eighth attempt would be 64 s.
    clock.run_until(SECOND / 10, server.seen_often("GET", 7)).await;
    server.until_idle().await;
    comes_after(&clock, 30 * SECOND, server.seen_often("GET", 8)).await;
}

async fn stable_stream() {
    for (lasts, pause) in [(8, 8), (12, 1)] {
        let gate = Gate::new();
        let server = breaking(&gate).await;
        let clock = Clock::stopped();
        let _client = connect(&server).await;
        clock.run_until(SECOND / 10, server.seen_often("GET", 4)).await;
        clock.pass(lasts * SECOND).await;
        gate.open();
        server.until_idle().await;
        comes_after(&clock, pause * SECOND, server.seen_often("GET", 5)).await;
        clock.go_on();
    }
}

#[cfg(target_os = "linux")]
async fn tcp_keep_alive() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let _connecting = tokio::spawn(builder().connect(http_client(url)));
    let (stream, client_addr) = in_time(listener.accept()).await.unwrap();
    // The first bytes have arrived, so the socket has its options.
    in_time(stream.readable()).await.unwrap();
    // In each row, column 1 is the local address, column 3 the state (1 means established), and
    // column 5 the timer (2 means keep-alive) with its ticks.
    let sockets = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let port = format!(":{:04X}", client_addr.port());
    let mut rows = sockets.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let row = rows.find(|row| row[1].ends_with(&port) && row[3] == "01").unwrap();
    let (timer, ticks) = row[5].split_once(':').unwrap();
    let ticks = u32::from_str_radix(ticks, 16).unwrap();
    assert_eq!(timer, "02", "{row:?}");
    // A second has 100 ticks.
    assert!((1..=3000).contains(&ticks), "{row:?}");
}

async fn endpoint_timeout() {
    let server = Scripted::new(|exchange| async {
        match &*exchange.verb {
            "GET" => exchange.stream(":\n\n").await.hang().await,
            _ => exchange.reply(405, "", "").await,
        }
    });
    let server = server.await;
    let clock = Clock::stopped();
    let connecting = tokio::spawn(builder().connect(http_client(server.url())));
    server.seen_often("GET", 1).await;
    comes_after(&clock, 10 * SECOND, connecting).await.unwrap().unwrap_err();
}

async fn session_end_timeout() {
    let server = Scripted::operating(|exchange| async {
        match exchange.tool() {
            "end" => exchange.reply(404, "", "").await,
            _ => exchange.hang().await,
        }
    });
    let server = server.await;
    let client = connect(&server).await;
    let silent = call(&client, "silent");
    server.until_seen("tools/call", 1).await;
    let clock = Clock::stopped();
    let ended = call(&client, "end");
    server.seen_often("tools/call", 2).await;
    let error = comes_after(&clock, 500 * MILLISECOND, silent).await.unwrap();
    assert!(matches!(error, Err(CallError::Lost(_) | CallError::Closed)), "{error:?}");
    drop(ended);
}

/// An authenticator that wants every request to be sent again.
struct Insistent;

impl Authenticator for Insistent {
    fn credentials(&self, _: RequestInfo, _: AuthHttp) -> BoxFuture<AuthResult<HeaderMap>> {
        Box::pin(async { Ok(HeaderMap::new()) })
    }

    fn challenged(
        &self,
        _: RequestInfo,
        _: Challenge,
        _: AuthHttp,
    ) -> BoxFuture<AuthResult<AfterChallenge>> {
        Box::pin(async { Ok(AfterChallenge::SendAgain) })
    }
}

async fn max_challenges() {
    let server = answering(401, "www-authenticate: Bearer\r\n").await;
    let url = http_client(server.url()).auth(Insistent);
    let client = in_time(builder().connect(url)).await.unwrap();
    let error = in_time(call(&client, "x")).await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Authentication { .. }), "{error}");
    assert_eq!(server.count("tools/call"), 1 + 5);
}

fn get(server: &Scripted) -> Request<String> {
    Request::get(server.url()).body(String::new()).unwrap()
}

async fn auth_request_timeout() {
    let server = Scripted::new(Exchange::hang).await;
    let clock = Clock::stopped();
    let request = get(&server);
    let http = AuthHttp::trusted([]).unwrap();
    let sending = tokio::spawn(async move { http.send(request).await });
    server.seen_often("GET", 1).await;
    comes_after(&clock, 30 * SECOND, sending).await.unwrap().unwrap_err();
}

async fn auth_answer_bytes() {
    for (length, is_read) in [(1 << 20, true), ((1 << 20) + 1, false)] {
        let server = Scripted::new(move |exchange| async move {
            exchange.reply(200, "", &"x".repeat(length)).await;
        });
        let server = server.await;
        let http = AuthHttp::trusted([]).unwrap();
        let answer = in_time(http.send(get(&server))).await;
        assert_eq!(answer.is_ok(), is_read, "{length}");
    }
}

fn outbox(messages: impl IntoIterator<Item = serde_json::Value>) -> Outbox {
    let mut outbox = Outbox::new();
    for message in messages {
        let pushed = outbox.push(|out| {
            out.extend_from_slice(message.to_string().as_bytes());
            Ok::<_, ()>(())
        });
        pushed.unwrap();
    }
    outbox
}

async fn http_inbox() {
    const EVENTS: usize = 1000;
    let sent = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&sent);
    let server = Scripted::new(move |exchange| {
        let count = Arc::clone(&count);
        async move {
            let params = json!({"level": "info", "data": "x".repeat(100_000)});
            let method = "notifications/message";
            let event = json!({"jsonrpc": "2.0", "method": method, "params": params});
            let mut stream = exchange.stream("").await;
            for _ in 0..EVENTS {
                stream.event(&format!("data: {event}\n\n")).await;
                count.fetch_add(1, Ordering::Relaxed);
            }
            stream.hang().await;
        }
    });
    let server = server.await;
    // No messages are taken from this reader.
    let (_reader, mut writer) = http_client(server.url()).open().await.unwrap();
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x"}});
    writer.write(&mut outbox([call])).await.unwrap();
    until("messages come", || sent.load(Ordering::Relaxed) >= 64).await;
    for _ in 0..100_000 {
        tokio::task::yield_now().await;
    }
    let sent = sent.load(Ordering::Relaxed);
    // The limit is 64, and the system buffers more.
    assert!(sent < EVENTS / 2, "{sent} messages were read");
}

async fn max_unsent_notifications() {
    let (log, _guard) = Log::listening(Level::WARN);
    let server = Scripted::new(Exchange::hang).await;
    let (_reader, mut writer) = http_client(server.url()).open().await.unwrap();
    let method = "notifications/roots/list_changed";
    let one = || json!({"jsonrpc": "2.0", "method": method});
    writer.write(&mut outbox([one()])).await.unwrap();
    server.until_seen(method, 1).await;
    let more = (0..400).map(|_| one());
    writer.write(&mut outbox(more)).await.unwrap();
    let dropped = || log.text().matches("a notification was dropped").count();
    until("some are dropped", || dropped() >= 400 - 256).await;
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(dropped(), 400 - 256);
}
