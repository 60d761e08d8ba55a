//! Stateless clients of a server with a handshake.

use std::time::Duration;

use mcp_runtime::Era;
use mcp_runtime::Server;
use serde_json::{Value, json};

use crate::behind::{Behind, asked, proxy};
use crate::support::scripted::Scripted;
use crate::support::{Wire, stateless};

const INFO: &str = "io.modelcontextprotocol/serverInfo";

/// Connects a client, sends a request, and returns the id and the parameters that the server gets.
pub async fn begin(
    proxy: &Server,
    behind: &mut Behind,
    message: Value,
) -> (Wire, Scripted, Value, Value) {
    let mut wire = Wire::to(proxy).await;
    let method = message["method"].as_str().unwrap().to_owned();
    wire.send(message).await;
    let mut server = behind.operating().await;
    let (id, params) = server.expect(&method).await;
    (wire, server, id, params)
}

#[tokio::test(start_paused = true)]
async fn results_get_what_the_stateless_era_requires() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let mut wire = Wire::to(&proxy).await;
    let mut server = None;
    for (method, params, result, is_cacheable) in [
        (
            "tools/list",
            json!({}),
            json!({"tools": [{"name": "a", "z": 1}], "x": 1}),
            true,
        ),
        (
            "resources/list",
            json!({"cursor": "c"}),
            json!({"resources": [], "nextCursor": "d"}),
            true,
        ),
        (
            "resources/templates/list",
            json!({}),
            json!({"resourceTemplates": []}),
            true,
        ),
        ("prompts/list", json!({}), json!({"prompts": []}), true),
        (
            "resources/read",
            json!({"uri": "a:b"}),
            json!({"contents": []}),
            true,
        ),
        (
            "tools/call",
            json!({"name": "a"}),
            json!({"content": [], "y": [1]}),
            false,
        ),
        (
            "prompts/get",
            json!({"name": "a"}),
            json!({"messages": []}),
            false,
        ),
        (
            "completion/complete",
            json!({"ref": {}, "argument": {}}),
            json!({"completion": {}}),
            false,
        ),
    ] {
        let mut sent = params.clone();
        sent["_meta"] = json!({"com.example/k": 1});
        wire.send(asked(1, method, sent, json!({}))).await;
        if server.is_none() {
            server = Some(behind.operating().await);
        }
        let server = server.as_mut().unwrap();
        let (id, received) = server.expect(method).await;
        let mut expected = params;
        expected["_meta"] = json!({"com.example/k": 1});
        assert_eq!(received, expected);
        server.answer(&id, result.clone()).await;
        let mut expected = result;
        expected["resultType"] = "complete".into();
        expected["_meta"] = json!({INFO: {"name": "scripted", "version": "1"}});
        if is_cacheable {
            expected["ttlMs"] = 0.into();
            expected["cacheScope"] = "private".into();
        }
        assert_eq!(wire.answer().await["result"], expected, "{method}");
    }
    assert!(behind.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_server_with_a_handshake_is_discovered() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let mut wire = Wire::to(&proxy).await;
    wire.send(stateless(1, "server/discover", json!({}))).await;
    let mut server = behind.next().await;
    let (id, params) = server.expect("initialize").await;
    assert_eq!(params["capabilities"], json!({}));
    let capabilities = json!({"tools": {"x": 1}, "tasks": {}, "extensions": {"com.example/x": {}}});
    let opened = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": capabilities,
        "serverInfo": {"name": "s", "version": "1", "title": "S"},
        "instructions": "Be kind.",
    });
    server.answer(&id, opened).await;
    let expected = json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {"x": 1}, "extensions": {"com.example/x": {}}},
        "instructions": "Be kind.",
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": {INFO: {"name": "s", "version": "1", "title": "S"}},
    });
    assert_eq!(wire.answer().await["result"], expected);
}

#[tokio::test(start_paused = true)]
async fn errors_pass_and_a_missing_resource_has_the_code_of_the_era() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let read = asked(1, "resources/read", json!({"uri": "a:b"}), json!({}));
    let (mut wire, mut server, id, _) = begin(&proxy, &mut behind, read).await;
    server.refuse(&id, -32002, json!({"uri": "a:b"})).await;
    let expected = json!({"code": -32602, "message": "no", "data": {"uri": "a:b"}});
    assert_eq!(wire.answer().await["error"], expected);
    wire.send(asked(2, "tools/call", json!({"name": "a"}), json!({})))
        .await;
    let (id, _) = server.expect("tools/call").await;
    server.refuse(&id, -32002, json!({"x": 1})).await;
    let expected = json!({"code": -32002, "message": "no", "data": {"x": 1}});
    assert_eq!(wire.answer().await["error"], expected);
    // The stateless era has no such method.
    let answer = wire
        .ask(asked(3, "logging/setLevel", json!({}), json!({})))
        .await;
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
}

#[tokio::test(start_paused = true)]
async fn an_error_that_requires_a_page_becomes_a_question() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let capabilities = json!({"elicitation": {"url": {}}});
    let call = |params| asked(1, "tools/call", params, capabilities.clone());
    let first = call(json!({"name": "a"}));
    let (mut wire, mut server, id, _) = begin(&proxy, &mut behind, first).await;
    let page =
        json!({"mode": "url", "elicitationId": "x", "url": "https://a.example/", "message": "Pay"});
    server
        .refuse(&id, -32042, json!({"elicitations": [page]}))
        .await;
    let result = wire.answer().await["result"].take();
    assert_eq!(result["resultType"], "input_required");
    let expected = json!({"0": {"method": "elicitation/create", "params": page}});
    assert_eq!(result["inputRequests"], expected);

    let answers = json!({"0": {"action": "accept"}});
    wire.send(call(json!({"name": "a", "inputResponses": answers})))
        .await;
    let (_, params) = server.expect("tools/call").await;
    assert_eq!(params, json!({"name": "a"}), "the server is called again");
}

#[tokio::test(start_paused = true)]
async fn logs_have_the_level_of_the_call_and_progress_its_token() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let mut wire = Wire::to(&proxy).await;
    let meta = json!({"progressToken": "mine", "io.modelcontextprotocol/logLevel": "debug"});
    wire.send(asked(
        1,
        "tools/call",
        json!({"name": "a", "_meta": meta}),
        json!({}),
    ))
    .await;
    let mut server = behind.operating().await;
    let (id, params) = server.expect("logging/setLevel").await;
    assert_eq!(params, json!({"level": "debug"}));
    server.answer(&id, json!({})).await;
    let (id, params) = server.expect("tools/call").await;
    let token = params["_meta"]["progressToken"].clone();
    assert_eq!(params["_meta"], json!({"progressToken": token}));
    server
        .notify(
            "notifications/message",
            json!({"level": "debug", "data": 1}),
        )
        .await;
    assert_eq!(
        wire.answer().await["params"],
        json!({"level": "debug", "data": 1})
    );
    server
        .notify(
            "notifications/progress",
            json!({"progressToken": token, "progress": 1}),
        )
        .await;
    let about = json!({"progressToken": "mine", "progress": 1});
    assert_eq!(wire.answer().await["params"], about);
    server.answer(&id, json!({"content": []})).await;
    assert_eq!(wire.answer().await["id"], 1);

    // A call without a level gets no logs.
    wire.send(stateless(2, "tools/call", json!({"name": "a"})))
        .await;
    let (id, _) = server.expect("tools/call").await;
    server
        .notify(
            "notifications/message",
            json!({"level": "debug", "data": 1}),
        )
        .await;
    server.answer(&id, json!({"content": []})).await;
    assert_eq!(wire.answer().await["id"], 2);
}

#[tokio::test(start_paused = true)]
async fn cancellation_passes() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let slow = stateless(1, "tools/call", json!({"name": "slow"}));
    let (mut wire, mut server, id, _) = begin(&proxy, &mut behind, slow).await;
    let cancelled = json!({"requestId": 1});
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled});
    wire.send(cancelled).await;
    let (_, params) = server.expect("notifications/cancelled").await;
    assert_eq!(params["requestId"], id);
}

#[tokio::test(start_paused = true)]
async fn callers_that_can_not_be_asked_share_a_connection_by_their_capabilities() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let call = |capabilities| asked(1, "tools/call", json!({"name": "a"}), capabilities);
    let (_first, mut shared, ..) = begin(&proxy, &mut behind, call(json!({}))).await;
    let mut second = Wire::to(&proxy).await;
    second.send(call(json!({}))).await;
    shared.expect("tools/call").await;
    assert!(behind.is_empty());

    let mut third = Wire::to(&proxy).await;
    third
        .send(call(json!({"extensions": {"com.example/x": {}}})))
        .await;
    let mut other = behind.next().await;
    let params = other.shake_hands("2025-11-25").await;
    assert_eq!(
        params["capabilities"],
        json!({"extensions": {"com.example/x": {}}})
    );
    other.expect("tools/call").await;
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_can_be_asked_has_its_connection_to_itself() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let call = || asked(1, "tools/call", json!({"name": "a"}), json!({"roots": {}}));
    let (mut first, mut server, id, _) = begin(&proxy, &mut behind, call()).await;
    let (mut second, mut other, other_id, _) = begin(&proxy, &mut behind, call()).await;
    for (server, id, wire) in [
        (&mut server, &id, &mut first),
        (&mut other, &other_id, &mut second),
    ] {
        server.answer(id, json!({"content": []})).await;
        assert_eq!(wire.answer().await["result"]["resultType"], "complete");
    }
    // A connection that is free is used again.
    first.send(call()).await;
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, json!({"content": []})).await;
    first.answer().await;
    assert!(behind.is_empty());
    let end = tokio::time::timeout(Duration::from_secs(299), server.next());
    end.await.unwrap_err();
    assert_eq!(server.next().await, None, "it was idle for 5 minutes");
    assert_eq!(other.next().await, None);
}
