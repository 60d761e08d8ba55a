//! Our client with our server, and with servers that follow a script.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::{HeaderMap, Request, Response};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use mcp_runtime::client::Reconnect;
use mcp_runtime::transport::http::HttpOptions;
use mcp_runtime::transport::http_client::{HttpUrl, http_client};
use mcp_runtime::types::{CallToolResult, RawJson};
use mcp_runtime::{CallError, Client, ConnectError, Era, Revision};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpSocket};

use crate::site::Site;
use crate::support::client::builder;

fn url(site: &Site) -> HttpUrl {
    http_client(format!("http://{}/mcp", site.addr))
}

fn text(result: &CallToolResult) -> String {
    serde_json::to_value(result).unwrap()["content"][0]["text"]
        .as_str()
        .unwrap()
        .to_owned()
}

async fn call(client: &Client, tool: &str, arguments: Value) -> String {
    text(&client.call_tool(tool, arguments).await.unwrap())
}

#[tokio::test]
async fn every_revision_is_spoken() {
    let site = Site::open().await;
    for revision in Revision::ALL.into_iter().skip(1) {
        let client = builder()
            .revision(revision)
            .connect(url(&site))
            .await
            .unwrap();
        assert_eq!(client.revision(), revision);
        let tools = client.list_tools().await.unwrap();
        assert_eq!(tools[0].name, "echo");
        assert_eq!(call(&client, "echo", json!({"a": 1})).await, r#"{"a":1}"#);
        assert_eq!(call(&client, "soon", json!({})).await, "{}");
        assert_eq!(call(&client, "tell", json!({})).await, "told");
        client.close().await;
    }
}

#[tokio::test]
async fn the_newest_revision_is_found() {
    let site = Site::open().await;
    let client = builder().connect(url(&site)).await.unwrap();
    assert_eq!(client.revision(), Revision::LATEST);
}

#[tokio::test]
async fn arguments_are_repeated_in_headers_where_the_server_wants_it() {
    let site = Site::open().await;
    let client = builder().connect(url(&site)).await.unwrap();
    client.list_tools().await.unwrap();
    for region in ["us", "Hello, 世界", " padded "] {
        assert_eq!(
            call(&client, "region", json!({"region": region})).await,
            "there"
        );
    }
}

#[tokio::test]
async fn a_client_does_not_send_arguments_that_it_can_not_read() {
    let site = Site::open().await;
    let client = builder().connect(url(&site)).await.unwrap();
    client.list_tools().await.unwrap();
    let arguments = RawJson::from_text(r#"{"region":"us","z":[1e400]}"#.to_owned()).unwrap();
    let error = client.call_tool("region", arguments).await.unwrap_err();
    let message = error.to_string();
    for part in ["was not sent", "params.arguments.z[0]"] {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(
        call(&client, "region", json!({"region": "us"})).await,
        "there"
    );
}

#[tokio::test]
async fn a_stateless_call_is_cancelled_by_closing_its_response() {
    let mut site = Site::open().await;
    let client = builder()
        .era(Era::Stateless)
        .connect(url(&site))
        .await
        .unwrap();
    tokio::select! {
        answer = client.call_tool("silent", json!({})) => panic!("{answer:?}"),
        started = site.events.recv() => assert_eq!(started, Some("started")),
    }
    assert_eq!(site.events.recv().await, Some("dropped"));
}

#[tokio::test]
async fn a_handshake_call_is_cancelled_by_a_notification() {
    let mut site = Site::open().await;
    let client = builder()
        .era(Era::Handshake)
        .connect(url(&site))
        .await
        .unwrap();
    tokio::select! {
        answer = client.call_tool("silent", json!({})) => panic!("{answer:?}"),
        started = site.events.recv() => assert_eq!(started, Some("started")),
    }
    assert_eq!(site.events.recv().await, Some("dropped"));
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_resumed() {
    let site = Site::open().await;
    let client = builder()
        .revision(Revision::V2025_11_25)
        .connect(url(&site))
        .await
        .unwrap();
    assert_eq!(call(&client, "come_back", json!({})).await, "closed: true");
}

#[tokio::test]
async fn a_session_that_ended_is_opened_again() {
    let site = Site::with(HttpOptions::default().max_sessions(1)).await;
    let server = url(&site);
    let reconnect = Reconnect {
        first_pause: Duration::from_millis(1),
        ..Reconnect::default()
    };
    let client = builder()
        .era(Era::Handshake)
        .reconnect(reconnect)
        .connect_with(move || server.clone())
        .await
        .unwrap();
    let first = client.list_tools().await.unwrap();
    end_session(&site, &client).await;
    assert_eq!(client.list_tools().await.unwrap().len(), first.len());
}

/// Ends the client's session without the client's knowledge.
async fn end_session(site: &Site, client: &Client) {
    let id = call(client, "session", json!({})).await;
    let delete = site.request("DELETE").header("mcp-session-id", id);
    let answer = site.send(delete.body(String::new()).unwrap()).await;
    assert_eq!(answer.status, 204, "{answer:?}");
}

#[tokio::test]
async fn the_session_is_ended_with_the_client() {
    let site = Site::with(HttpOptions::default().max_sessions(1)).await;
    for _ in 0..3 {
        let client = builder()
            .era(Era::Handshake)
            .connect(url(&site))
            .await
            .unwrap();
        client.close().await;
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_reported() {
    // The socket keeps the address reserved, and nothing listens there.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let addr = socket.local_addr().unwrap();
    let client = builder()
        .connect(http_client(format!("http://{addr}/")))
        .await;
    let Err(ConnectError::Lost(fault)) = client else {
        panic!("{client:?}");
    };
    assert_eq!(fault.kind(), std::io::ErrorKind::ConnectionRefused);
    assert!(fault.to_string().contains(&addr.to_string()), "{fault}");
    assert!(builder().connect(http_client("/mcp")).await.is_err());
}

/// A server that gives the answers of a test, and records its requests.
pub struct Script {
    addr: SocketAddr,
    asked: Arc<Mutex<Vec<(HeaderMap, Value)>>>,
}

pub type Reply = (u16, &'static str, String);

impl Script {
    /// `answer` gets each message, and returns the status, content type and body.
    pub async fn new(answer: impl Fn(&Value) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let asked: Arc<Mutex<Vec<_>>> = Arc::default();
        let answer = Arc::new(answer);
        let log = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let answer = Arc::clone(&answer);
                let log = Arc::clone(&log);
                let service = service_fn(move |request: Request<Incoming>| {
                    let answer = Arc::clone(&answer);
                    let log = Arc::clone(&log);
                    async move {
                        let (parts, body) = request.into_parts();
                        let body = crate::site::read(Response::new(body)).await.body;
                        let message = serde_json::from_str(&body).unwrap_or(Value::Null);
                        let (status, kind, body) = answer(&message);
                        log.lock().unwrap().push((parts.headers, message));
                        let response = Response::builder().status(status);
                        let response = response.header("content-type", kind).body(body);
                        Ok::<_, Infallible>(response.unwrap())
                    }
                });
                let connection = hyper::server::conn::http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), service);
                tokio::spawn(connection);
            }
        });
        Self { addr, asked }
    }

    pub fn url(&self) -> HttpUrl {
        http_client(format!("http://{}", self.addr)).header("x-test", "yes")
    }
}

fn result(message: &Value, result: &Value) -> Reply {
    let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
    (200, "application/json", answer.to_string())
}

fn initialized(message: &Value) -> Reply {
    result(
        message,
        &json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "script", "version": "1"},
        }),
    )
}

#[tokio::test]
async fn an_old_server_is_found_by_whatever_it_says_to_the_first_question() {
    let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32000, "message": "no"}});
    let refusals: [Reply; 4] = [
        (400, "application/json", error.to_string()),
        (400, "text/plain", "Bad Request".to_owned()),
        (404, "text/html", "<html>".to_owned()),
        (
            200,
            "application/json",
            json!({"jsonrpc": "2.0", "id": 1, "error": {
            "code": -32601, "message": "Method not found"}})
            .to_string(),
        ),
    ];
    for refusal in refusals {
        let script = Script::new(move |message| match message["method"].as_str() {
            Some("initialize") => initialized(message),
            Some("server/discover") => refusal.clone(),
            Some(_) => (202, "text/plain", String::new()),
            None => (405, "text/plain", String::new()),
        });
        let script = script.await;
        let client = builder().connect(script.url()).await.unwrap();
        assert_eq!(client.revision(), Revision::V2025_06_18);
        client.close().await;
        let asked = script.asked.lock().unwrap();
        let (headers, _) = asked
            .iter()
            .find(|(_, message)| message["method"] == "notifications/initialized")
            .unwrap();
        assert_eq!(headers["mcp-protocol-version"], "2025-06-18");
        assert_eq!(headers["x-test"], "yes");
    }
}

pub fn stateless_script(tools: Value) -> impl Fn(&Value) -> Reply {
    move |message| match message["method"].as_str() {
        Some("server/discover") => result(
            message,
            &json!({
                "resultType": "complete",
                "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {}},
                "ttlMs": 0,
                "cacheScope": "private",
            }),
        ),
        Some("tools/list") => result(
            message,
            &json!({"resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "private"}),
        ),
        _ => (500, "text/plain", "out of order".to_owned()),
    }
}

#[tokio::test]
async fn tools_with_invalid_headers_are_dropped() {
    let tool = |name: &str, kind: &str| {
        json!({"name": name, "inputSchema": {"type": "object", "properties": {
            "x": {"type": kind, "x-mcp-header": "X"}}}})
    };
    let tools = json!([
        tool("bad", "number"),
        tool("good", "string"),
        tool("worse", "array")
    ]);
    let script = Script::new(stateless_script(tools)).await;
    let client = builder().connect(script.url()).await.unwrap();
    let tools = client.list_tools().await.unwrap();
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0].name, "good");
    let asked = script.asked.lock().unwrap();
    let (headers, message) = asked.last().unwrap();
    assert_eq!(message["method"], "tools/list");
    assert_eq!(headers["mcp-method"], "tools/list");
    assert_eq!(headers["mcp-protocol-version"], "2026-07-28");
}

#[tokio::test]
async fn a_call_whose_headers_have_no_form_is_not_sent() {
    let tool = json!({"name": "query", "inputSchema": {"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"}}}});
    let script = Script::new(stateless_script(json!([tool]))).await;
    let client = builder().connect(script.url()).await.unwrap();
    client.list_tools().await.unwrap();
    let arguments = [
        r#"{"region":{"name":"us"}}"#,
        r#"{"region":["us"]}"#,
        r#"{"region":"us","undeclared":1e400}"#,
        r#"{"region":"us","undeclared":"\ud800"}"#,
    ];
    for arguments in arguments {
        let arguments: Box<RawValue> = serde_json::from_str(arguments).unwrap();
        match client.call_tool("query", &arguments).await {
            Err(CallError::NotSent(fault)) => {
                assert!(fault.to_string().contains("params.arguments"), "{fault}");
            }
            other => panic!("{arguments}: {other:?}"),
        }
    }
    let asked = script.asked.lock().unwrap();
    assert_eq!(asked.last().unwrap().1["method"], "tools/list");
}

#[tokio::test]
async fn an_answer_that_is_none_fails_the_call_and_not_the_connection() {
    let script = Script::new(stateless_script(json!([]))).await;
    let client = builder().connect(script.url()).await.unwrap();
    match client.call_tool("x", json!({})).await {
        Err(CallError::Http(error)) => assert_eq!(error.status, 500),
        other => panic!("{other:?}"),
    }
    assert!(client.list_tools().await.unwrap().is_empty());
}

#[tokio::test]
async fn an_answer_over_the_limit_fails_the_call() {
    let answers = Mutex::new(VecDeque::from([json!([])]));
    let script = Script::new(move |message| {
        let mut answers = answers.lock().unwrap();
        let many = json!([{"name": "x".repeat(10_000), "inputSchema": {"type": "object"}}]);
        let tools = if message["method"] == "tools/list" {
            answers.pop_front().unwrap_or(many)
        } else {
            json!([])
        };
        stateless_script(tools)(message)
    });
    let script = script.await;
    let client = builder()
        .connect(script.url().max_message_bytes(5000))
        .await
        .unwrap();
    assert!(client.list_tools().await.unwrap().is_empty());
    match client.list_tools().await {
        Err(CallError::Malformed { reason, .. }) => assert!(reason.contains("5000"), "{reason}"),
        other => panic!("{other:?}"),
    }
}
