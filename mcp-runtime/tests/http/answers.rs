//! Answers over HTTP that are not messages, or are too long.

use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use http::HeaderValue;
use http::request::Parts;
use mcp_runtime::proxy::{Proxy, Upstream};
use mcp_runtime::server::McpServer as _;
use mcp_runtime::transport::http::{AccessDenied, AccessPolicy, HttpOptions};
use mcp_runtime::transport::http_client::{HttpUrl, http_client};
use mcp_runtime::types::ServerNotification;
use mcp_runtime::{CallError, Client, ClientBuilder, ConnectError, Era, HttpError};
use serde_json::json;

use crate::scripted::{Exchange, Script, Scripted};
use crate::site::Site;
use crate::support::clock::in_time;
use crate::support::{Wire, call};

fn builder() -> ClientBuilder {
    Client::builder("test", "1").era(Era::Handshake)
}

async fn connect(server: &Scripted) -> Client {
    in_time(builder().connect(http_client(server.url())))
        .await
        .unwrap()
}

async fn answered(status: u16, headers: &'static str, body: &'static str) -> CallError {
    let server = Scripted::operating(move |exchange| exchange.reply(status, headers, body)).await;
    let client = connect(&server).await;
    let call = client.call_tool("x", json!({}));
    in_time(call.into_future()).await.unwrap_err()
}

async fn no_message(status: u16, headers: &'static str, body: &'static str) -> HttpError {
    match answered(status, headers, body).await {
        CallError::Http(error) => {
            assert_eq!(error.status, status);
            *error
        }
        other => panic!("{status} {headers}{body}: {other:?}"),
    }
}

#[tokio::test]
async fn an_answer_that_is_not_a_message_is_shown() {
    let html = "content-type: text/html; charset=utf-8\r\n";
    let error = no_message(502, html, "<h1>\r\nBad\u{7} Gateway</h1>").await;
    assert_eq!(
        error.content_type.as_deref(),
        Some("text/html; charset=utf-8")
    );
    assert_eq!(error.excerpt, "<h1>  Bad  Gateway</h1>");
    let error = no_message(200, html, "<html>Log in").await;
    assert!(error.to_string().contains("<html>Log in"), "{error}");
    let plain = "content-type: text/plain\r\n";
    assert_eq!(
        no_message(500, plain, "out of order").await.excerpt,
        "out of order"
    );
    let json = "content-type: application/json\r\n";
    assert_eq!(no_message(200, json, "").await.excerpt, "");
    assert_eq!(no_message(202, "", "").await.content_type, None);
    assert_eq!(no_message(200, json, "[]").await.excerpt, "[]");
    let batch = r#"[{"jsonrpc":"2.0","id":2,"result":{}}]"#;
    assert_eq!(no_message(200, json, batch).await.excerpt, batch);
    let refusal = r#"{"error":"invalid_token"}"#;
    let challenges = "www-authenticate: Bearer error=\"invalid_token\"\r\nwww-authenticate: Basic\r\n\
                      content-type: application/json\r\n";
    let error = no_message(401, challenges, refusal).await;
    assert_eq!(error.excerpt, refusal);
    let challenges = "Bearer error=\"invalid_token\", Basic";
    assert_eq!(error.www_authenticate.as_deref(), Some(challenges));
    let long: &str = Box::leak("ä".repeat(1000).into_boxed_str());
    assert_eq!(
        no_message(404 + 6, plain, long).await.excerpt,
        "ä".repeat(200)
    );
}

#[tokio::test]
async fn a_byte_order_mark_before_an_answer_is_skipped() {
    let server = Scripted::operating(async |exchange| {
        let id = &exchange.message["id"];
        let answer = json!({"jsonrpc": "2.0", "id": id, "result": {"content": []}});
        let headers = "content-type: application/json\r\n";
        exchange
            .reply(200, headers, &format!("\u{feff}{answer}"))
            .await;
    });
    let client = connect(&server.await).await;
    let call = client.call_tool("x", json!({}));
    let result = in_time(call.into_future()).await.unwrap();
    assert_eq!(result.content, []);
}

#[tokio::test]
async fn the_answer_of_a_server_without_mcp_is_shown_when_connecting() {
    let headers = "content-type: text/html\r\n";
    let server = Scripted::new(move |exchange| exchange.reply(404, headers, "<h1>Nothing here"));
    let server = server.await;
    let connected = Client::builder("test", "1").connect(http_client(server.url()));
    match in_time(connected).await {
        Err(ConnectError::Http(error)) => assert_eq!(error.excerpt, "<h1>Nothing here"),
        other => panic!("{other:?}"),
    }
}

/// Returns the error message of a failed attempt to connect.
async fn refused(server: HttpUrl) -> String {
    let connected = Client::builder("test", "1").connect(server.retries(0));
    in_time(connected).await.unwrap_err().to_string()
}

#[tokio::test]
async fn the_error_of_connecting_has_status_and_url_without_secrets() {
    for status in [200, 401, 403, 404, 500, 503] {
        let html = "content-type: text/html\r\n";
        let server = Scripted::new(move |exchange| exchange.reply(status, html, "<h1>No"));
        let addr = server.await.addr;
        let url = format!("http://ann:secret@{addr}/tools/mcp?key=secret#secret");
        assert_eq!(
            refused(http_client(url)).await,
            format!(
                "HTTP {status} from http://{addr}/tools/mcp with text/html instead of an MCP \
                 message: <h1>No"
            )
        );
    }
}

#[tokio::test]
async fn the_error_of_a_call_has_the_origin_of_the_url() {
    let html = "content-type: text/html\r\n";
    let server = Scripted::operating(move |exchange| exchange.reply(500, html, "<h1>No")).await;
    let client = connect(&server).await;
    let call = client.call_tool("x", json!({}));
    let error = in_time(call.into_future()).await.unwrap_err();
    let origin = format!("HTTP 500 from http://{} with text/html", server.addr);
    assert!(error.to_string().starts_with(&origin), "{error}");
    let CallError::Http(error) = error else {
        panic!("{error:?}")
    };
    assert_eq!(error.url, server.url());
}

struct Nobody;

impl AccessPolicy for Nobody {
    async fn admit(&self, _: &mut Parts) -> Result<(), AccessDenied> {
        let challenge = HeaderValue::from_static("Bearer");
        Err(AccessDenied::unauthorized(challenge).message("log in first"))
    }
}

#[tokio::test]
async fn refusals_of_our_own_server_have_status_and_url() {
    let site = Site::open().await;
    let url = |path: &str| format!("http://{}/{path}", site.addr);
    assert_eq!(
        refused(http_client(url("api?key=secret"))).await,
        format!(
            "HTTP 404 from {}: there is nothing at this path: MCP is at `/mcp`",
            url("api")
        )
    );
    let page = http_client(url("mcp")).header("origin", "https://page.example.com");
    assert_eq!(
        refused(page).await,
        format!(
            "HTTP 403 from {}: this origin is not allowed: add it to the `allowed_origins` of the \
             server",
            url("mcp")
        )
    );
    let closed = Site::with(HttpOptions::default().auth(Nobody)).await;
    let url = format!("http://{}/mcp", closed.addr);
    assert_eq!(
        refused(http_client(&url)).await,
        format!("HTTP 401 from {url}, asking for credentials (Bearer): log in first")
    );
}

#[tokio::test]
async fn a_proxy_passes_on_nothing_but_the_status() {
    let server = Scripted::operating(|exchange| async {
        match &*exchange.name() {
            "tools/list" => {
                let tool = json!({"name": "x", "inputSchema": {"type": "object"}});
                exchange.result(json!({"tools": [tool]})).await;
            }
            _ => {
                let headers = "content-type: text/html\r\n";
                exchange.reply(502, headers, "<h1>secret").await;
            }
        }
    });
    let server = server.await;
    let url = server.url();
    let upstream = Upstream::new(move |client| client.connect(http_client(url.clone())));
    let mut wire = Wire::to(&Proxy::new(upstream).into_server()).await;
    wire.handshake("2025-11-25").await;
    let answer = wire.ask(call(1, "x", json!({}))).await;
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("HTTP 502"), "{message}");
    assert!(!message.contains("secret"), "{message}");
}

#[tokio::test]
async fn a_redirect_that_is_not_followed_names_its_target() {
    let headers = "location: https://elsewhere.invalid/mcp?key=secret\r\n";
    let server = Scripted::new(move |exchange| exchange.reply(307, headers, "")).await;
    let connected = builder().connect(http_client(server.url()));
    let error = in_time(connected).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("https://elsewhere.invalid/mcp"), "{text}");
    assert!(!text.contains("secret"), "{text}");
    match error {
        ConnectError::Http(error) => assert_eq!(
            error.location.as_deref(),
            Some("https://elsewhere.invalid/mcp?key=secret")
        ),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_server_may_say_until_when_it_is_left_alone() {
    let first = Arc::new(Script::new([true, false]));
    let server = Scripted::operating(move |exchange| {
        let first = Arc::clone(&first);
        async move {
            if first.next() {
                let in_an_hour = SystemTime::now() + std::time::Duration::from_secs(3600);
                let headers = format!("retry-after: {}\r\n", httpdate::fmt_http_date(in_an_hour));
                exchange.reply(503, &headers, "").await;
            } else {
                exchange.say("too early").await;
            }
        }
    });
    let client = connect(&server.await).await;
    let answer = in_time(client.call_tool("x", json!({})).into_future()).await;
    match answer {
        Err(CallError::Http(error)) => assert_eq!(error.status, 503),
        other => panic!("{other:?}"),
    }
}

/// Answers a call in one event of about `bytes` bytes.
async fn answer_in_event(exchange: Exchange, bytes: usize) {
    let text = "x".repeat(bytes);
    let result = json!({"content": [{"type": "text", "text": text}]});
    let answer = json!({"jsonrpc": "2.0", "id": exchange.message["id"], "result": result});
    exchange.stream(&format!("data: {answer}\n\n")).await;
}

#[tokio::test]
async fn the_limit_holds_for_each_event() {
    let server = Scripted::operating(|exchange| async {
        match exchange.tool() {
            "short" => answer_in_event(exchange, 500).await,
            "long" => answer_in_event(exchange, 5000).await,
            _ => exchange.say(&"x".repeat(5000)).await,
        }
    });
    let server = http_client(server.await.url()).max_message_bytes(1000);
    let client = in_time(builder().connect(server)).await.unwrap();
    let short = in_time(client.call_tool("short", json!({})).into_future()).await;
    let short = serde_json::to_string(&short.unwrap()).unwrap();
    assert!(short.contains(&"x".repeat(500)), "{short}");
    for tool in ["long", "plain"] {
        match in_time(client.call_tool(tool, json!({})).into_future()).await {
            Err(CallError::Malformed { reason, .. }) => {
                assert!(reason.contains("limit of 1000 bytes"), "{reason}");
            }
            other => panic!("{tool}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_message_over_the_limit_is_skipped_on_the_stream_of_the_session() {
    let server = Scripted::new(|exchange| async {
        if exchange.verb == "GET" {
            let told = |text: &str| {
                let params = json!({"level": "info", "data": text});
                let method = "notifications/message";
                json!({"jsonrpc": "2.0", "method": method, "params": params})
            };
            let long = told(&"x".repeat(1500));
            let short = told("short");
            let text = format!("data: {long}\n\ndata: {short}\n\n");
            exchange.stream(&text).await.hang().await;
        } else {
            exchange.shake_hands().await;
        }
    });
    let server = server.await;
    let told = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&told);
    let heard = Arc::new(tokio::sync::Notify::new());
    let notify = Arc::clone(&heard);
    let client = builder().on_notification(move |notification| {
        if let ServerNotification::LoggingMessage(params) = notification {
            log.lock().unwrap().push(params.data.clone());
            notify.notify_one();
        }
    });
    let server = http_client(server.url()).max_message_bytes(1000);
    let _client = in_time(client.connect(server)).await.unwrap();
    in_time(heard.notified()).await;
    let told = told.lock().unwrap();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].get(), "\"short\"");
}

/// Returns the error of a call that gets this answer, in which `ID` is replaced by the id of the
/// call.
async fn answered_by_id(status: u16, headers: &'static str, body: &'static str) -> CallError {
    let server = Scripted::operating(move |exchange| async move {
        let id = exchange.message["id"].to_string();
        exchange
            .reply(status, headers, &body.replace("ID", &id))
            .await;
    });
    let client = connect(&server.await).await;
    let call = client.call_tool("x", json!({}));
    in_time(call.into_future()).await.unwrap_err()
}

#[tokio::test]
async fn a_refusal_keeps_its_status_and_challenge_whatever_its_body_is() {
    let headers = "www-authenticate: Bearer realm=\"x\"\r\ncontent-type: application/json\r\n";
    for (body, message) in [
        (
            r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32001,"message":"who?"}}"#,
            Some("who?"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"who?"}}"#,
            Some("who?"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":"x","error":{"code":-32001,"message":"who?"}}"#,
            Some("who?"),
        ),
        (r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#, None),
        (r#"{"jsonrpc":"2.0","id":ID}"#, None),
        (r#"{"error":"invalid_token"}"#, None),
        ("<html>", None),
        ("", None),
    ] {
        for status in [401, 403] {
            match answered_by_id(status, headers, body).await {
                CallError::Http(error) => {
                    assert_eq!(error.status, status, "{body}");
                    let challenge = error.www_authenticate.as_deref();
                    assert_eq!(challenge, Some("Bearer realm=\"x\""), "{body}");
                    let found = error.error.map(|error| error.message);
                    assert_eq!(found.as_deref(), message, "{body}");
                }
                other => panic!("{status} {body}: {other:?}"),
            }
        }
    }
}

const ANSWER: &str = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}"#;

#[tokio::test]
async fn a_compressed_answer_is_an_error_that_says_so() {
    for headers in [
        "content-type: application/json\r\ncontent-encoding: gzip\r\n",
        "content-type: text/event-stream\r\ncontent-encoding: gzip\r\n",
        "content-encoding: identity\r\ncontent-encoding: GZIP\r\n",
    ] {
        match answered_by_id(200, headers, ANSWER).await {
            CallError::Malformed { method, reason } => {
                assert_eq!(method, "tools/call");
                let reason = reason.to_lowercase();
                assert!(reason.contains("`content-encoding: gzip`"), "{reason}");
            }
            other => panic!("{headers}: {other:?}"),
        }
    }
    let headers = "content-encoding: br\r\nwww-authenticate: Bearer\r\n";
    for status in [401, 500] {
        let error = no_message(status, headers, "\u{1b}garbage").await;
        assert!(error.excerpt.contains("`Content-Encoding: br`"), "{error}");
        assert_eq!(error.www_authenticate.as_deref(), Some("Bearer"));
    }
}

#[tokio::test]
async fn no_compression_is_asked_for() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let server = Scripted::new(move |exchange| {
        let encoding = exchange.header("accept-encoding").to_owned();
        seen.lock().unwrap().push((exchange.verb.clone(), encoding));
        async move { drop(exchange.shake_hands().await) }
    });
    let server = server.await;
    let url = http_client(server.url()).header("accept-encoding", "gzip");
    let client = in_time(builder().connect(url)).await.unwrap();
    server.until_seen("GET", 1).await;
    in_time(client.close()).await;
    let asked = asked.lock().unwrap();
    for verb in ["POST", "GET", "DELETE"] {
        let found = asked.iter().find(|(it, _)| it == verb);
        assert_eq!(found.unwrap().1, "identity", "{verb}");
    }
}

#[tokio::test]
async fn media_types_are_compared_whole() {
    for headers in [
        "content-type: application/jsonx\r\n",
        "content-type: application/json-seq\r\n",
        "content-type: text/plain\r\n",
        "content-type: text/event-streams\r\n",
    ] {
        match answered_by_id(200, headers, ANSWER).await {
            CallError::Http(error) => {
                assert!(error.to_string().contains(&headers[14..24]), "{error}");
            }
            other => panic!("{headers}: {other:?}"),
        }
    }
    let event = "data: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"content\":[]}}\n\n";
    for (headers, body) in [
        (
            "content-type: Application/JSON; charset=\"utf-8\"\r\n",
            ANSWER,
        ),
        ("content-type: application/json;charset=utf-8\r\n", ANSWER),
        ("", ANSWER),
        ("content-type: TEXT/Event-Stream ; charset=utf-8\r\n", event),
    ] {
        let server = Scripted::operating(move |exchange| async move {
            let id = exchange.message["id"].to_string();
            exchange.reply(200, headers, &body.replace("ID", &id)).await;
        });
        let client = connect(&server.await).await;
        let answer = in_time(client.call_tool("x", json!({})).into_future()).await;
        assert_eq!(answer.unwrap().content, [], "{headers}");
    }
}
