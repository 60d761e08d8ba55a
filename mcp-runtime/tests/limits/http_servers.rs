//! Limits of HTTP servers.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use http::request::Parts;
use mcp_runtime::Server;
use mcp_runtime::server::Reply;
use mcp_runtime::server::tools::ToolEntry;
use mcp_runtime::transport::http::{
    AccessDenied, AccessPolicy, AccessRevalidation, HttpOptions, Principal, http,
};
use mcp_runtime::types::{ProgressNotification, ProgressNotificationParams, Tool};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;

use crate::support::clock::{Clock, in_time};
use crate::support::listening::{self, listen};
use crate::support::{self, stateless};
use crate::wire::{SECOND, Served, comes_after, end_of, post, read_now, read_until};

driven! {
    MAX_BODY_BYTES by max_body_bytes,
    MAX_BUFFERED_BODY_BYTES by max_buffered_body_bytes,
    BODY_SHARES by body_shares,
    FREE_BODY_BYTES by free_body_bytes,
    ENDPOINT_BODY_BYTES by endpoint_body_bytes,
    MAX_UNREAD_BYTES by max_unread_bytes,
    MAX_UNREAD_BYTES_TOTAL by max_unread_bytes_total,
    MAX_HEAD_BYTES by max_head_bytes,
    HEAD_TIMEOUT by head_timeout,
    BODY_TIMEOUT by body_timeout,
    AUTH_TIMEOUT by auth_timeout,
    REVALIDATION_PAUSE by revalidation_pause,
    STREAM_KEEP_ALIVE by stream_keep_alive,
    LINGER by linger,
    LAST_ANSWERS_TIMEOUT by last_answers_timeout,
    HALF_CLOSE_TIMEOUT by half_close_timeout,
    HTTP2_WINDOW by http2_window,
    MAX_HTTP2_STREAMS by max_http2_streams,
    MAX_CALLS by max_calls,
    MAX_HTTP_SUBSCRIPTIONS by max_http_subscriptions,
}

const HEALTH: &str = "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n";

fn list() -> Value {
    stateless(1, "tools/list", json!({}))
}

pub(crate) fn tool_call(tool: &str) -> Value {
    stateless(1, "tools/call", json!({"name": tool}))
}

/// Creates a server with tools that send a message: `tell` sends it before an answer of `bytes`
/// bytes, and `wait` then never answers.
pub(crate) fn telling(bytes: usize) -> Server {
    let mut server = support::builder();
    let tool = |name| Tool::new(name, json!({"type": "object"}));
    let tell = |peer: &mcp_runtime::Peer| {
        let progress = ProgressNotificationParams::new("t", 1.0);
        peer.notify::<ProgressNotification>(Some(&progress)).unwrap();
    };
    server.tool(ToolEntry::new(tool("tell"), move |call| {
        tell(call.context.peer());
        Reply::Ready(Ok(support::text("x".repeat(bytes))))
    }));
    server.tool(ToolEntry::new(tool("wait"), move |call| {
        tell(call.context.peer());
        Reply::Pending(Box::pin(std::future::pending()))
    }));
    server.build()
}

async fn max_body_bytes() {
    let options = HttpOptions::default().max_body_bytes(1000);
    let served = Served::http_with(&support::server(), options);
    for (length, status) in [(500, 200), (1000, 413)] {
        let arguments = json!({"x": "x".repeat(length)});
        let call = stateless(1, "tools/call", json!({"name": "echo", "arguments": arguments}));
        assert_eq!(served.post(&[], &call).await.status, status);
    }
}

/// Returns a request of `length` bytes.
fn long(length: usize, headers: &[(&str, &str)]) -> String {
    let request = post(headers, &list());
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let head = head.replace(
        &format!("content-length: {}", body.len()),
        &format!("content-length: {length}"),
    );
    format!("{head}\r\n\r\n{body}{}", " ".repeat(length - body.len()))
}

/// Begins a request of `length` bytes, whose last byte is not sent.
async fn begin(served: &Served, length: usize, headers: &[(&str, &str)]) -> TcpStream {
    let whole = long(length, headers);
    served.open(&whole[..whole.len() - 1]).await
}

async fn until_status(served: &Served, request: &str, status: u16) {
    let answered = async { while served.exchange(request).await.status != status {} };
    in_time(answered).await;
}

const BODY: usize = 200_000;

async fn max_buffered_body_bytes() {
    let options = HttpOptions::default().max_body_bytes(BODY).max_buffered_body_bytes(2 * BODY);
    let served = Served::http_with(&support::server(), options);
    let whole = long(BODY, &[]);
    assert_eq!(served.exchange(&whole).await.status, 200);
    let held = (begin(&served, BODY, &[]).await, begin(&served, BODY, &[]).await);
    // The status changes once the bytes of the held requests have arrived.
    until_status(&served, &whole, 503).await;
    drop(held);
    until_status(&served, &whole, 200).await;
}

/// Takes the name of the caller from a header.
struct ByName;

impl AccessPolicy for ByName {
    async fn admit(&self, request: &mut Parts) -> Result<(), AccessDenied> {
        let name = request.headers["who"].to_str().unwrap().to_owned();
        request.extensions.insert(Principal::new(name));
        Ok(())
    }
}

async fn body_shares() {
    // An eighth of the budget is one and a half bodies.
    let options = HttpOptions::default()
        .max_body_bytes(BODY)
        .max_buffered_body_bytes(12 * BODY)
        .auth(ByName);
    let served = Served::http_with(&support::server(), options);
    let [ann, bob] = ["ann", "bob"].map(|who| [("who", who)]);
    let _held = begin(&served, BODY, &ann).await;
    until_status(&served, &long(BODY, &ann), 503).await;
    assert_eq!(served.exchange(&long(BODY, &bob)).await.status, 200);
}

async fn free_body_bytes() {
    let options = HttpOptions::default().max_body_bytes(BODY).max_buffered_body_bytes(BODY);
    let served = Served::http_with(&support::server(), options);
    let full = BODY + 16 * 1024;
    // The rest of the budget is less than 20,000 bytes.
    let _held = [begin(&served, BODY, &[]).await, begin(&served, full - BODY + 1, &[]).await];
    until_status(&served, &long(50_000, &[]), 503).await;
    assert_eq!(served.exchange(&long(16 * 1024, &[])).await.status, 200);
}

/// Rejects every caller, and answers requests for `/form`.
struct Form;

impl AccessPolicy for Form {
    async fn admit(&self, _: &mut Parts) -> Result<(), AccessDenied> {
        Err(AccessDenied::forbidden())
    }

    fn has_endpoint(&self, path: &str) -> bool {
        path == "/form"
    }

    async fn respond(&self, _: http::Request<Bytes>) -> http::Response<Bytes> {
        http::Response::default()
    }
}

async fn endpoint_body_bytes() {
    let served = Served::http_with(&support::server(), HttpOptions::default().auth(Form));
    for (length, status) in [(64 * 1024, 200), (64 * 1024 + 1, 413)] {
        let request = long(length, &[]).replacen("POST /mcp", "POST /form", 1);
        assert_eq!(served.exchange(&request).await.status, status, "{length}");
    }
}

/// Opens an HTTP/2 connection that does not read answers.
async fn second(served: &Served) -> h2::client::SendRequest<Bytes> {
    let stream = TcpStream::connect(served.addr).await.unwrap();
    let mut builder = h2::client::Builder::new();
    builder.initial_window_size(100);
    let (sender, connection) = builder.handshake(stream).await.unwrap();
    tokio::spawn(connection);
    sender
}

async fn call_over(
    sender: &h2::client::SendRequest<Bytes>,
    tool: &str,
) -> h2::client::ResponseFuture {
    let request = http::Request::post("http://localhost/mcp")
        .header("content-type", "application/json")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", tool);
    let mut sender = sender.clone().ready().await.unwrap();
    let (answer, mut body) = sender.send_request(request.body(()).unwrap(), false).unwrap();
    body.send_data(tool_call(tool).to_string().into(), true).unwrap();
    answer
}

/// Creates a server that counts its calls, and answers them with 10,000 bytes.
fn counting() -> (Server, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&calls);
    let mut server = support::builder();
    server.tool(support::tool("count", move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        Reply::Ready(Ok(support::text("x".repeat(10_000))))
    }));
    (server.build(), calls)
}

/// Checks that a call waits while another answer is unread, on the same connection or on another.
async fn unread(options: HttpOptions, same: bool) {
    let (server, calls) = counting();
    let served = Served::http_with(&server, options);
    let first = second(&served).await;
    let unread = in_time(call_over(&first, "count").await).await.unwrap();
    let other = second(&served).await;
    let next = if same { &first } else { &other };
    let waiting = call_over(next, "count").await;
    for _ in 0..10 {
        served.exchange(&HEALTH.replace("1.1", "1.0")).await;
    }
    assert_eq!(calls.load(Ordering::Relaxed), 1, "the call waits");
    drop(unread);
    in_time(waiting).await.unwrap();
}

async fn max_unread_bytes() {
    unread(HttpOptions::default().max_unread_bytes(1000), true).await;
}

async fn max_unread_bytes_total() {
    unread(HttpOptions::default().max_unread_bytes_total(1000), false).await;
}

async fn max_head_bytes() {
    let served = Served::http_with(&support::server(), HttpOptions::default());
    for (length, status) in [(30_000, 200), (33_000, 431)] {
        let filler = "x".repeat(length);
        let head = format!("GET /health HTTP/1.0\r\nhost: localhost\r\nx: {filler}\r\n\r\n");
        assert_eq!(served.exchange(&head).await.status, status, "{length}");
    }
}

async fn head_timeout() {
    let clock = Clock::stopped();
    let configure = |http: mcp_runtime::transport::http::Http| http.head_timeout(5 * SECOND);
    let served = Served::http(&support::server(), configure);
    for said in ["", "POST /mcp HTTP/1.1\r\n"] {
        let stream = served.open(said).await;
        comes_after(&clock, 5 * SECOND, end_of(stream)).await;
    }
}

async fn body_timeout() {
    let clock = Clock::stopped();
    let options = HttpOptions::default().body_timeout(5 * SECOND);
    let served = Served::http_with(&support::server(), options);
    let stream = begin(&served, 1000, &[]).await;
    let answer = comes_after(&clock, 5 * SECOND, end_of(stream)).await;
    assert!(answer.starts_with(b"HTTP/1.0 408"));
}

/// Never finishes its decision about a caller.
struct Undecided;

impl AccessPolicy for Undecided {
    async fn admit(&self, _: &mut Parts) -> Result<(), AccessDenied> {
        std::future::pending().await
    }
}

async fn auth_timeout() {
    let clock = Clock::stopped();
    let options = HttpOptions::default().auth(Undecided).auth_timeout(5 * SECOND);
    let served = Served::http_with(&support::server(), options);
    let stream = served.open(&post(&[], &list())).await;
    let answer = comes_after(&clock, 5 * SECOND, end_of(stream)).await;
    assert!(answer.starts_with(b"HTTP/1.0 503"));
}

/// Admits every caller, but can't revalidate the access later.
struct Unsure;

impl AccessPolicy for Unsure {
    async fn admit(&self, request: &mut Parts) -> Result<(), AccessDenied> {
        let check = || async { Err(AccessDenied::unavailable(SECOND)) };
        let now = tokio::time::Instant::now().into_std();
        let revalidation = AccessRevalidation::new(now, check);
        request.extensions.insert(revalidation);
        Ok(())
    }
}

async fn revalidation_pause() {
    let clock = Clock::stopped();
    let options = HttpOptions::default().auth(Unsure);
    let served = Served::http_with(&telling(0), options);
    let mut stream = served.open(&post(&[], &tool_call("wait"))).await;
    read_until(&mut stream, "notifications/progress").await;
    // The check runs immediately, and once more after the pause.
    let answer = comes_after(&clock, 5 * SECOND, end_of(stream)).await;
    assert!(String::from_utf8_lossy(&answer).contains("-32603"));
}

async fn stream_keep_alive() {
    let clock = Clock::stopped();
    let options = HttpOptions::default().keep_alive(5 * SECOND);
    let served = Served::http_with(&telling(0), options);
    let mut stream = served.open(&post(&[], &tool_call("wait"))).await;
    read_until(&mut stream, "notifications/progress").await;
    let comment = async {
        stream.readable().await.unwrap();
        read_now(&stream)
    };
    assert!(comes_after(&clock, 5 * SECOND, comment).await.contains(":\n\n"));
}

async fn linger() {
    let clock = Clock::stopped();
    let served = Served::http(&support::server(), |http| http.linger(5 * SECOND));
    let mut idle = served.open(HEALTH).await;
    read_until(&mut idle, "\"ok\"}").await;
    served.shutdown.shut_down();
    comes_after(&clock, 5 * SECOND, end_of(idle)).await;
}

async fn last_answers_timeout() {
    let clock = Clock::stopped();
    let served = Served::at(&support::server(), http, |serve| {
        serve.drain_timeout(Duration::ZERO)
    });
    // The client stops sending and reading, but does not leave.
    let mut open = served.open(HEALTH).await;
    read_until(&mut open, "\"ok\"}").await;
    served.shutdown.shut_down();
    comes_after(&clock, SECOND, served.serving).await.unwrap().unwrap();
}

async fn half_close_timeout() {
    let clock = Clock::stopped();
    let served = Served::at(&support::server(), http, |serve| {
        serve.drain_timeout(60 * SECOND)
    });
    let mut open = served.open(&HEALTH.replace("1.1", "1.0")).await;
    let answer = read_until(&mut open, "\"ok\"}").await;
    assert!(answer.contains("200"), "{answer}");
    // The server has closed its direction, and the client's stays open.
    assert_eq!(in_time(open.read(&mut [0])).await.unwrap(), 0);
    served.shutdown.shut_down();
    comes_after(&clock, 2 * SECOND, served.serving).await.unwrap().unwrap();
}

async fn http2_window() {
    let served = Served::http_with(&support::server(), HttpOptions::default());
    let sender = second(&served).await;
    let begin = async |ends: bool| {
        let request = http::Request::get("http://localhost/health").body(());
        let mut sender = sender.clone().ready().await.unwrap();
        sender.send_request(request.unwrap(), ends).unwrap()
    };
    // After the first answer, the client knows the server's settings.
    in_time(begin(true).await.0).await.unwrap();
    let mut bodies = Vec::new();
    for window in [Some(48 * 1024), Some(48 * 1024), None] {
        let (answer, mut body) = begin(false).await;
        body.reserve_capacity(1_000_000);
        let capacity = poll_fn(|cx| body.poll_capacity(cx));
        match window {
            Some(window) => assert_eq!(in_time(capacity).await.unwrap().unwrap(), window),
            None => assert!(capacity.now_or_never().is_none()),
        }
        bodies.push((answer, body));
    }
}

async fn max_http2_streams() {
    let served = Served::http_with(&support::server(), HttpOptions::default());
    let sender = second(&served).await;
    in_time(call_over(&sender, "echo").await).await.unwrap();
    assert_eq!(sender.current_max_send_streams(), 256);
}

async fn max_calls() {
    let options = HttpOptions::default().max_calls(1);
    let served = Served::http_with(&telling(0), options);
    let mut first = served.open(&post(&[], &tool_call("wait"))).await;
    read_until(&mut first, "notifications/progress").await;
    assert_eq!(served.post(&[], &tool_call("wait")).await.status, 429);
    drop(first);
}

async fn max_http_subscriptions() {
    let options = HttpOptions::default().max_subscriptions(1);
    let served = Served::http_with(&listening::server(), options);
    let subscribe = listen(1, json!({"toolsListChanged": true}));
    let mut first = served.open(&post(&[], &subscribe)).await;
    read_until(&mut first, "acknowledged").await;
    assert_eq!(served.post(&[], &subscribe).await.status, 429);
}
