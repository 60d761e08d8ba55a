//! The stateless era over HTTP.

use http::Request;
use serde_json::{Value, json};

use crate::site::{Answer, Site, read, read_until};
use crate::support::stateless;

fn call(id: i64, tool: &str, arguments: Value) -> Value {
    stateless(
        id,
        "tools/call",
        json!({"name": tool, "arguments": arguments}),
    )
}

#[tokio::test]
async fn a_call_is_answered_with_json() {
    let site = Site::open().await;
    let answer = site.ask(&call(1, "echo", json!({"a": 1}))).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("mcp-session-id"), None);
    assert_eq!(answer.json()["result"]["content"][0]["text"], r#"{"a":1}"#);
    let answer = site.ask(&call(2, "soon", json!({}))).await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.json()["id"], 2);
}

#[tokio::test]
async fn what_is_sent_before_the_answer_makes_it_a_stream() {
    let site = Site::open().await;
    let answer = site.ask(&call(1, "tell", json!({}))).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("x-accel-buffering"), Some("no"));
    let messages = answer.messages();
    assert_eq!(messages[0]["method"], "notifications/progress");
    assert_eq!(messages[1]["result"]["content"][0]["text"], "told");
    assert_eq!(messages.len(), 2);
    assert!(
        !answer.body.contains("id: "),
        "nothing can be resumed: {answer:?}"
    );
}

#[tokio::test]
async fn closing_the_stream_cancels_the_call() {
    let mut site = Site::open().await;
    let mut response = site
        .start(site.stateless(&call(1, "tell_and_wait", json!({}))))
        .await;
    read_until(&mut response, "notifications/progress").await;
    drop(response);
    assert_eq!(site.events.recv().await, Some("dropped"));
    site.lives_on().await;
}

#[tokio::test]
async fn closing_the_connection_cancels_a_call_that_is_silent() {
    let mut site = Site::open().await;
    let request = site.stateless(&call(1, "silent", json!({})));
    let mut connection = site.connect().await;
    let answer = connection.send_request(request);
    tokio::select! {
        _ = answer => panic!("the tool should not answer"),
        started = site.events.recv() => assert_eq!(started, Some("started")),
    }
    drop(connection);
    assert_eq!(site.events.recv().await, Some("dropped"));
}

#[tokio::test]
async fn a_silent_stream_is_kept_alive() {
    let options = mcp_runtime::transport::http::HttpOptions::default()
        .keep_alive(std::time::Duration::from_millis(5));
    let site = Site::with(options).await;
    let mut response = site
        .start(site.stateless(&call(1, "never", json!({}))))
        .await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    read_until(&mut response, ":\n\n:\n\n").await;
}

#[tokio::test]
async fn errors_have_their_status() {
    let site = Site::open().await;
    let mut versionless = call(1, "echo", json!({}));
    versionless["params"]["_meta"] = json!({});
    let mut unsupported = call(1, "echo", json!({}));
    unsupported["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("v999.0.0");
    for (message, version, status, code) in [
        (
            stateless(1, "tools/burn", json!({})),
            "2026-07-28",
            404,
            -32601,
        ),
        (stateless(1, "ping", json!({})), "2026-07-28", 404, -32601),
        (
            stateless(1, "initialize", json!({})),
            "2026-07-28",
            404,
            -32601,
        ),
        (versionless, "2026-07-28", 400, -32602),
        (unsupported.clone(), "v999.0.0", 400, -32022),
        (unsupported, "2026-07-28", 400, -32020),
        (call(1, "nothing", json!({})), "2026-07-28", 200, -32602),
        (call(1, "refuse", json!({})), "2026-07-28", 200, -32050),
        (call(1, "panic", json!({})), "2026-07-28", 200, -32603),
    ] {
        let mut request = site.stateless(&message);
        let headers = request.headers_mut();
        headers.insert("mcp-protocol-version", version.parse().unwrap());
        let answer = site.send(request).await;
        assert_eq!(answer.status, status, "{message} {answer:?}");
        assert_eq!(answer.error_code(), code, "{message} {answer:?}");
        assert_eq!(answer.json()["id"], 1, "{answer:?}");
    }
    site.lives_on().await;
}

#[tokio::test]
async fn an_unsupported_version_is_answered_with_those_that_are() {
    let site = Site::open().await;
    let mut message = stateless(1, "server/discover", json!({}));
    message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2030-01-01");
    let mut request = site.stateless(&message);
    let version = "2030-01-01".parse().unwrap();
    request
        .headers_mut()
        .insert("mcp-protocol-version", version);
    let error = site.send(request).await.json()["error"].clone();
    assert_eq!(error["data"]["requested"], "2030-01-01");
    assert!(
        error["data"]["supported"]
            .as_array()
            .unwrap()
            .contains(&json!("2026-07-28"))
    );
}

/// Sends `message` with the header `name` changed to `value`, or omitted.
async fn with_header(site: &Site, message: &Value, name: &'static str, value: &str) -> Answer {
    let mut request: Request<String> = site.stateless(message);
    if value.is_empty() {
        request.headers_mut().remove(name);
    } else {
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    site.send(request).await
}

#[tokio::test]
async fn headers_that_disagree_with_the_body_are_refused_by_name() {
    let site = Site::open().await;
    let echo = call(1, "echo", json!({}));
    let region = call(1, "region", json!({"region": "us"}));
    for (message, name, value) in [
        (&echo, "mcp-protocol-version", ""),
        (&echo, "mcp-protocol-version", "2025-11-25"),
        (&echo, "mcp-method", ""),
        (&echo, "mcp-method", "TOOLS/CALL"),
        (&echo, "mcp-name", ""),
        (&echo, "mcp-name", "other"),
        (&region, "mcp-param-region", ""),
        (&region, "mcp-param-region", "eu"),
        (&region, "mcp-param-region", "=?base64?dXM?="),
    ] {
        let answer = with_header(&site, message, name, value).await;
        assert_eq!(answer.status, 400, "{name}: {value}: {answer:?}");
        assert_eq!(answer.error_code(), -32020, "{name}: {value}: {answer:?}");
        assert_eq!(answer.json()["id"], 1);
        let message = answer.json()["error"]["message"]
            .as_str()
            .unwrap()
            .to_lowercase();
        assert!(message.contains(name), "{message}");
    }
    for (message, name, value) in [
        (&echo, "mcp-name", "  echo  "),
        (&echo, "mcp-name", "=?base64?ZWNobw==?="),
        (&region, "mcp-param-region", "us"),
        (&region, "mcp-param-region", "=?base64?dXM=?="),
    ] {
        let answer = with_header(&site, message, name, value).await;
        assert_eq!(answer.status, 200, "{name}: {value}: {answer:?}");
        assert!(answer.json()["result"].is_object(), "{answer:?}");
    }
}

#[tokio::test]
async fn notifications_are_accepted_and_responses_are_not() {
    let site = Site::open().await;
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/unheard"});
    let answer = site.ask(&notification).await;
    assert_eq!((answer.status.as_u16(), &*answer.body), (202, ""));
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "result": {}, "method": null}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
    ] {
        let mut request = site.stateless(&notification);
        *request.body_mut() = message.to_string();
        let answer = site.send(request).await;
        assert_eq!(answer.status, 400, "{answer:?}");
        assert_eq!(answer.error_code(), -32600, "{answer:?}");
    }
}

#[tokio::test]
async fn there_is_nothing_to_get_or_delete() {
    let site = Site::open().await;
    for method in ["GET", "DELETE"] {
        let request = site
            .request(method)
            .header("mcp-protocol-version", "2026-07-28");
        let answer = site.send(request.body(String::new()).unwrap()).await;
        assert_eq!(answer.status, 405, "{answer:?}");
        assert_eq!(answer.header("allow"), Some("POST"));
    }
}

#[tokio::test]
async fn a_session_id_means_nothing_and_is_not_echoed() {
    let site = Site::open().await;
    let mut request = site.stateless(&call(1, "echo", json!({})));
    request
        .headers_mut()
        .insert("mcp-session-id", "anything".parse().unwrap());
    let answer = site.send(request).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("mcp-session-id"), None);
}

#[tokio::test]
async fn calls_beyond_the_limit_are_refused_at_once() {
    let options = mcp_runtime::transport::http::HttpOptions::default().max_calls(1);
    let mut site = Site::with(options).await;
    let mut waiting = site
        .start(site.stateless(&call(1, "tell_and_wait", json!({}))))
        .await;
    read_until(&mut waiting, "notifications/progress").await;
    let answer = site.ask(&call(2, "soon", json!({}))).await;
    assert_eq!(answer.status, 429, "{answer:?}");
    assert_eq!(answer.error_code(), -32603);
    site.lives_on().await;
    drop(waiting);
    assert_eq!(site.events.recv().await, Some("dropped"));
    let answer = read(
        site.start(site.stateless(&call(2, "soon", json!({}))))
            .await,
    )
    .await;
    assert_eq!(answer.status, 200, "{answer:?}");
}
