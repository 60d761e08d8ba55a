//! Requests that are refused at the HTTP level.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::StatusCode;
use http_body::{Body, Frame};
use mcp_runtime::transport::http::HttpOptions;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tower_service::Service as _;

use crate::site::{Answer, Site};
use crate::support::mounted::mounted;
use crate::support::{request, stateless};

#[tokio::test]
async fn the_wrong_types_are_refused() {
    let site = Site::open().await;
    let message = stateless(1, "tools/list", json!({}));
    for (name, value, status) in [
        ("content-type", "text/plain", 415),
        ("content-type", "", 415),
        ("accept", "text/html", 406),
        ("accept", "application/json", 406),
        ("accept", "text/event-stream", 406),
        ("accept", "*/*", 200),
        ("accept", "application/json;q=0, text/event-stream", 406),
        ("accept", "*/*, text/event-stream; q=0.0", 406),
        ("accept", "*/*;q=0", 406),
        ("accept", "*/*;q=0, application/*, Text/Event-Stream", 200),
        ("content-type", "application/json; charset=utf-8", 200),
    ] {
        let mut request = site.stateless(&message);
        request.headers_mut().insert(name, value.parse().unwrap());
        let answer = site.send(request).await;
        assert_eq!(answer.status, status, "{name}: {value}: {answer:?}");
    }
}

#[tokio::test]
async fn other_methods_and_paths_are_not_served() {
    let site = Site::open().await;
    let put = site.request("PUT").body(String::new()).unwrap();
    let answer = site.send(put).await;
    assert_eq!(answer.status, 405);
    assert_eq!(answer.header("allow"), Some("POST, GET, DELETE"));
    let elsewhere = site
        .request("POST")
        .uri("/other")
        .body(String::new())
        .unwrap();
    assert_eq!(site.send(elsewhere).await.status, 404);
}

/// Checks that the request is refused because of its `_meta`. Without a session, the status says so
/// as well.
fn assert_meta_refused(answer: &Answer, status: u16) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(answer.error_code(), -32602, "{answer:?}");
    assert!(answer.body.contains("params._meta: "), "{answer:?}");
}

#[tokio::test]
async fn a_meta_that_can_not_be_read_says_nothing_of_the_era_and_is_refused_in_each() {
    let passing = Site::with(HttpOptions::default().without_sessions()).await;
    let site = Site::open().await;
    let session = site.session("2025-11-25").await;
    for meta in [json!(7), json!("x"), json!(true)] {
        let message = request(1, "tools/list", json!({"_meta": meta}));
        let post = |site: &Site, version: Option<&str>| {
            let mut post = site
                .request("POST")
                .header("content-type", "application/json");
            if let Some(version) = version {
                post = post.header("mcp-protocol-version", version);
            }
            post.body(message.to_string()).unwrap()
        };
        for version in [None, Some("2025-11-25")] {
            let answer = site.send(post(&site, version)).await;
            assert_meta_refused(&answer, 400);
            let answer = passing.send(post(&passing, version)).await;
            assert_meta_refused(&answer, 200);
        }
        assert_meta_refused(&session.ask(&message).await, 200);
        assert_meta_refused(&site.ask(&message).await, 400);
    }
    site.lives_on().await;
}

#[tokio::test]
async fn a_name_that_can_not_be_compared_with_its_header_is_refused_with_its_path() {
    let site = Site::open().await;
    for (method, member) in [("tools/call", "name"), ("resources/read", "uri")] {
        let message = stateless(1, method, json!({ member: 7 }));
        let mut request = site.stateless(&message);
        let any = "any".parse().unwrap();
        request.headers_mut().insert("mcp-name", any);
        let answer = site.send(request).await;
        assert_eq!(answer.error_code(), -32602, "{answer:?}");
        let path = format!("params.{member}: ");
        assert!(answer.body.contains(&path), "{answer:?}");
    }
}

#[tokio::test]
async fn what_is_not_json_is_a_parse_error() {
    let site = Site::open().await;
    let deep = format!(
        r#"{{"id":1,"params":{}1{}}}"#,
        "[".repeat(200),
        "]".repeat(200)
    );
    for body in ["rubbish", "", "{\"id\":1", &deep] {
        let mut request = site.stateless(&stateless(1, "tools/list", json!({})));
        *request.body_mut() = body.to_owned();
        let answer = site.send(request).await;
        assert_eq!(answer.status, 400, "{answer:?}");
        assert_eq!(answer.error_code(), -32700);
        assert!(answer.json().get("id").is_none(), "{answer:?}");
    }
    site.lives_on().await;
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_by_its_length_and_by_its_bytes() {
    let site = Site::with(HttpOptions::default().max_body_bytes(1000)).await;
    let mut message = stateless(1, "tools/call", json!({"name": "echo"}));
    message["params"]["arguments"] = json!({"text": "x".repeat(2000)});
    let answer = site.ask(&message).await;
    assert_eq!(answer.status, 413, "{answer:?}");
    assert_eq!(answer.error_code(), -32600);
    let text = answer.json()["error"]["message"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(text.contains("1000"), "{text}");

    let mut stream = TcpStream::connect(site.addr).await.unwrap();
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                transfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let piece = format!("190\r\n{}\r\n", "x".repeat(400)).repeat(3);
    stream.write_all(piece.as_bytes()).await.unwrap();
    assert_eq!(status(&mut stream).await, "HTTP/1.1 413 Payload Too Large");
    site.lives_on().await;
}

/// A body that stalls after its first byte.
struct Slow(Option<&'static [u8]>);

impl Body for Slow {
    type Data = &'static [u8];
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Infallible>>> {
        let first = self.0.take().map(|bytes| Ok(Frame::data(bytes)));
        first.map_or(Poll::Pending, |first| Poll::Ready(Some(first)))
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_body_runs_out_of_time() {
    let timeout = Duration::from_secs(20);
    let options = HttpOptions::default().body_timeout(timeout);
    let mut service = mounted(crate::support::server(), options).await;
    let request = http::Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json");
    let start = tokio::time::Instant::now();
    let answer = service.call(request.body(Slow(Some(b"{"))).unwrap()).await;
    assert_eq!(answer.unwrap().status(), 408);
    assert_eq!(start.elapsed(), timeout);
}

#[tokio::test]
async fn probes_are_told_of_a_server_that_runs() {
    let site = Site::open().await;
    let probe = async |method, path| {
        let request = site.request(method).uri(path).body(String::new());
        site.send(request.unwrap()).await
    };
    for path in ["/health", "/ready"] {
        let answer = probe("GET", path).await;
        assert_eq!(
            (answer.status, &*answer.body),
            (StatusCode::OK, r#"{"status":"ok"}"#)
        );
        let head = probe("HEAD", path).await;
        assert_eq!((head.status, &*head.body), (StatusCode::OK, ""));
        assert_eq!(
            head.header("content-length"),
            answer.header("content-length")
        );
        let other = probe("POST", path).await;
        assert_eq!(other.status, 405);
        assert_eq!(other.header("allow"), Some("GET, HEAD"));
    }
}

async fn status(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(head).unwrap().trim_end().to_owned()
}

#[tokio::test]
async fn a_client_that_lacks_a_capability_is_refused() {
    let mut server = crate::support::builder();
    let sampling = mcp_runtime::types::ClientCapabilitiesSampling::new();
    server.requires(&mcp_runtime::types::ClientCapabilities::new().with_sampling(sampling));
    let site = Site::of(&server.build());
    let mut message = stateless(1, "tools/list", json!({}));
    let answer = site.ask(&message).await;
    assert_eq!((answer.status.as_u16(), answer.error_code()), (400, -32021));
    message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
        json!({"sampling": {}});
    assert_eq!(site.ask(&message).await.status, 200);
    let message = stateless(1, "server/discover", json!({}));
    assert_eq!(site.ask(&message).await.status, 200);
}
