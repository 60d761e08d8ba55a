//! Stateless clients and servers: messages pass as they are.

use mcp_runtime::Era;
use serde_json::json;

use crate::behind::{answer_to, asked, member, proxy};
use crate::support::{Wire, stateless};

const META: &str = r#""_meta":{"z":1,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"x":{"n":1.0}},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1","y":2}}"#;

#[tokio::test(start_paused = true)]
async fn requests_and_results_pass_as_they_are() {
    let (proxy, mut behind) = proxy(Era::Stateless);
    let mut wire = Wire::to(&proxy).await;
    let mut server = None;
    for (method, params, outcome) in [
        (
            "server/discover",
            r#""x":1"#,
            r#""result":{"z":1e400,"resultType":"complete","supportedVersions":["2026-07-28","x"],"capabilities":{"extensions":{"com.example/x":{"b":1,"a":1.0}},"unknown":[]},"ttlMs":9.0,"cacheScope":"public"}"#,
        ),
        (
            "tools/list",
            r#""cursor":"abc""#,
            r#""result":{"tools":[{"z":1,"name":"t","inputSchema":{"type":"object","maximum":1e999}}],"nextCursor":"p","ttlMs":123,"cacheScope":"odd","resultType":"complete"}"#,
        ),
        (
            "tools/call",
            r#""z":[],"name":"unlisted","arguments":{"n":1e400}"#,
            r#""result":{"resultType":"input_required","requestState":"abc","inputRequests":{"my key":{"method":"com.example/ask","params":{"b":1,"a":2}}}}"#,
        ),
        (
            "tools/call",
            r#""name":"unlisted","requestState":"abc","inputResponses":{"my key":{"b":1.0,"a":2}}"#,
            r#""result":{"resultType":"com.example/other","b":1,"a":2}"#,
        ),
        (
            "com.example/any",
            r#""b":1"#,
            r#""error":{"code":7,"message":"m","data":{"z":1e400,"a":1}}"#,
        ),
    ] {
        let params = format!("{{{params},{META}}}");
        let asked =
            format!(r#"{{"jsonrpc":"2.0","id":"x","method":"{method}","params":{params}}}"#);
        wire.send_text(&asked).await;
        if server.is_none() {
            server = Some(behind.discovered().await);
        }
        let server = server.as_mut().unwrap();
        let received = server.next_text().await;
        assert_eq!(member(&received, "method"), format!("\"{method}\""));
        assert_eq!(member(&received, "params"), params);
        server.send_text(&answer_to(&received, outcome)).await;
        assert_eq!(wire.next_text().await, answer_to(&asked, outcome));
    }
}

#[tokio::test(start_paused = true)]
async fn callers_share_a_connection_and_send_their_own_capabilities() {
    let (proxy, mut behind) = proxy(Era::Stateless);
    let mut first = Wire::to(&proxy).await;
    let mut second = Wire::to(&proxy).await;
    first
        .send(asked(
            1,
            "tools/call",
            json!({"name": "a"}),
            json!({"roots": {}}),
        ))
        .await;
    let mut server = behind.discovered().await;
    let (a, params) = server.expect("tools/call").await;
    let capabilities = "io.modelcontextprotocol/clientCapabilities";
    assert_eq!(params["_meta"][capabilities], json!({"roots": {}}));
    second
        .send(asked(
            1,
            "tools/call",
            json!({"name": "b"}),
            json!({"sampling": {}}),
        ))
        .await;
    let (b, params) = server.expect("tools/call").await;
    assert_eq!(params["_meta"][capabilities], json!({"sampling": {}}));
    server
        .answer(&b, json!({"resultType": "complete", "of": "b"}))
        .await;
    server
        .answer(&a, json!({"resultType": "complete", "of": "a"}))
        .await;
    assert_eq!(first.answer().await["result"]["of"], "a");
    assert_eq!(second.answer().await["result"]["of"], "b");
    assert!(behind.is_empty());
}

#[tokio::test(start_paused = true)]
async fn progress_logs_and_cancellation_pass() {
    let (proxy, mut behind) = proxy(Era::Stateless);
    let mut wire = Wire::to(&proxy).await;
    let meta = json!({"progressToken": "mine", "io.modelcontextprotocol/logLevel": "debug"});
    wire.send(asked(
        1,
        "tools/call",
        json!({"name": "a", "_meta": meta}),
        json!({}),
    ))
    .await;
    let mut server = behind.discovered().await;
    let (id, params) = server.expect("tools/call").await;
    assert_eq!(params["_meta"]["io.modelcontextprotocol/logLevel"], "debug");
    let token = &params["_meta"]["progressToken"];
    let about = json!({"progressToken": token, "progress": 1});
    server.notify("notifications/progress", about).await;
    let told = wire.answer().await;
    assert_eq!(
        told["params"],
        json!({"progressToken": "mine", "progress": 1})
    );
    let line = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"debug","data":1e400}}"#;
    server.send_text(line).await;
    assert_eq!(wire.next_text().await, line);
    let cancelled = json!({"requestId": 1});
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled});
    wire.send(cancelled).await;
    let (_, params) = server.expect("notifications/cancelled").await;
    assert_eq!(params["requestId"], id);
}

#[tokio::test(start_paused = true)]
async fn a_subscription_passes_with_the_id_of_the_caller() {
    let (proxy, mut behind) = proxy(Era::Stateless);
    let mut wire = Wire::to(&proxy).await;
    let filter = json!({"toolsListChanged": true, "com.example/x": [1]});
    wire.send(stateless(
        "mine",
        "subscriptions/listen",
        json!({"notifications": filter}),
    ))
    .await;
    let mut server = behind.discovered().await;
    let (id, params) = server.expect("subscriptions/listen").await;
    assert_eq!(params["notifications"], filter);
    let key = "io.modelcontextprotocol/subscriptionId";
    for (method, params) in [
        (
            "notifications/subscriptions/acknowledged",
            json!({"notifications": filter}),
        ),
        ("notifications/tools/list_changed", json!({"z": 1})),
        ("com.example/x", json!({"b": 1})),
    ] {
        let mut sent = params.clone();
        sent["_meta"] = json!({key: id, "k": 1});
        server.notify(method, sent).await;
        let mut expected = params;
        expected["_meta"] = json!({key: "mine", "k": 1});
        let told = wire.answer().await;
        assert_eq!(
            (&told["method"], &told["params"]),
            (&json!(method), &expected)
        );
    }
    server
        .answer(&id, json!({"resultType": "complete", "_meta": {key: id}}))
        .await;
    let end = wire.answer().await;
    assert_eq!(
        end["result"],
        json!({"resultType": "complete", "_meta": {key: "mine"}})
    );
}
