//! Clients with a handshake of a stateless server.

use mcp_runtime::Era;
use serde_json::{Value, json};

use crate::behind::{HANDSHAKE, bridged, introduced, proxy};
use crate::support::clock::in_time;
use crate::support::{Wire, call, request};

#[tokio::test(start_paused = true)]
async fn a_stateless_server_is_introduced() {
    let (proxy, mut behind) = proxy(Era::Stateless);
    let mut wire = Wire::to(&proxy).await;
    wire.send(introduced("c", json!({"roots": {}}))).await;
    let mut server = behind.next().await;
    let (id, params) = server.expect("server/discover").await;
    let meta = &params["_meta"];
    assert_eq!(
        meta["io.modelcontextprotocol/clientCapabilities"],
        json!({"roots": {}})
    );
    let info = json!({"name": "s", "version": "2", "title": "S"});
    let found = json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {"listChanged": true}, "logging": {}},
        "instructions": "Be kind.",
        "ttlMs": 0, "cacheScope": "private",
        "_meta": {"io.modelcontextprotocol/serverInfo": info},
    });
    server.answer(&id, found).await;
    let expected = json!({
        "protocolVersion": HANDSHAKE,
        "capabilities": {"tools": {"listChanged": true}, "logging": {}},
        "serverInfo": info,
        "instructions": "Be kind.",
    });
    assert_eq!(wire.answer().await["result"], expected);
}

#[tokio::test(start_paused = true)]
async fn requests_carry_the_client_and_its_log_level() {
    let (proxy, mut behind) = proxy(Era::Stateless);
    let (mut wire, mut server) = bridged(&proxy, &mut behind).await;
    for level in [None, Some("debug")] {
        if let Some(level) = level {
            let set = request(1, "logging/setLevel", json!({"level": level}));
            assert_eq!(wire.ask(set).await["result"], json!({}));
        }
        let params = json!({"name": "a", "z": 1, "_meta": {"com.example/k": 1}});
        wire.send(request(2, "tools/call", params)).await;
        let (id, params) = server.expect("tools/call").await;
        let mut meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "wire", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
            "com.example/k": 1,
        });
        if let Some(level) = level {
            meta["io.modelcontextprotocol/logLevel"] = level.into();
        }
        assert_eq!(params, json!({"name": "a", "z": 1, "_meta": meta}));
        if level.is_some() {
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
        }
        server
            .answer(&id, json!({"resultType": "complete", "content": []}))
            .await;
        assert_eq!(wire.answer().await["result"]["content"], json!([]));
    }
    assert_eq!(
        wire.ask(request(3, "ping", json!({}))).await["result"],
        json!({})
    );
}

#[tokio::test(start_paused = true)]
async fn a_page_that_a_stateless_server_requires_gets_an_id() {
    let (proxy, mut behind) = proxy(Era::Stateless);
    let (mut wire, mut server) = bridged(&proxy, &mut behind).await;
    wire.send(call(1, "shop", json!({}))).await;
    let (id, _) = server.expect("tools/call").await;
    let page = json!({"mode": "url", "url": "https://a.example/", "message": "Pay"});
    let requests = json!({"pay": {"method": "elicitation/create", "params": page}});
    let required = json!({"resultType": "input_required", "inputRequests": requests});
    server.answer(&id, required).await;
    let mut params = wire.answer().await["params"].take();
    let id = params.as_object_mut().unwrap().remove("elicitationId");
    assert!(id.is_some_and(|id| id.is_string()));
    assert_eq!(params, page);
}

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_after_the_last_round_of_questions() {
    let (proxy, mut behind) = proxy(Era::Stateless);
    let (mut wire, mut server) = bridged(&proxy, &mut behind).await;
    wire.send(call(1, "shop", json!({}))).await;
    let required = json!({
        "resultType": "input_required",
        "inputRequests": {"roots": {"method": "roots/list"}},
    });
    for _ in 0..10 {
        let (id, _) = server.expect("tools/call").await;
        server.answer(&id, required.clone()).await;
        let question = wire.answer().await;
        assert_eq!(question["method"], "roots/list");
        let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": []}});
        wire.send(answer).await;
    }
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, required).await;
    assert_eq!(wire.answer().await["error"]["code"], -32603);
}

#[tokio::test(start_paused = true)]
async fn what_a_stateless_server_requires_is_asked() {
    let (proxy, mut behind) = proxy(Era::Stateless);
    let (mut wire, mut server) = bridged(&proxy, &mut behind).await;
    wire.send(call(1, "shop", json!({"n": 1}))).await;
    let (id, _) = server.expect("tools/call").await;
    let form = json!({"z": 1, "message": "Sure?", "requestedSchema": {}});
    let required = json!({
        "resultType": "input_required",
        "requestState": "state",
        "inputRequests": {
            "my form": {"method": "elicitation/create", "params": form},
            "roots": {"method": "roots/list"},
        },
    });
    server.answer(&id, required).await;
    let mut answers = json!({});
    for _ in 0..2 {
        let question = wire.answer().await;
        let (key, answer) = match question["method"].as_str().unwrap() {
            "elicitation/create" => {
                assert_eq!(question["params"], form);
                (
                    "my form",
                    json!({"action": "accept", "content": {}, "z": 1}),
                )
            }
            _ => ("roots", json!({"roots": []})),
        };
        answers[key] = answer.clone();
        wire.send(json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}))
            .await;
    }
    let (id, params) = server.expect("tools/call").await;
    assert_eq!(params["inputResponses"], answers);
    assert_eq!(
        (&params["requestState"], &params["name"]),
        (&json!("state"), &json!("shop"))
    );
    // A round without a state.
    let required = json!({"resultType": "input_required", "inputRequests": {}});
    server.answer(&id, required).await;
    let (id, params) = server.expect("tools/call").await;
    assert_eq!(params["requestState"], Value::Null);
    server
        .answer(&id, json!({"resultType": "complete", "content": []}))
        .await;
    assert_eq!(wire.answer().await["result"], json!({"content": []}));
}

#[tokio::test(start_paused = true)]
async fn a_refused_question_is_the_error_of_the_call() {
    let (proxy, mut behind) = proxy(Era::Stateless);
    let (mut wire, mut server) = bridged(&proxy, &mut behind).await;
    wire.send(call(1, "shop", json!({}))).await;
    let (id, _) = server.expect("tools/call").await;
    let requests = json!({"a": {"method": "roots/list"}});
    let required = json!({"resultType": "input_required", "inputRequests": requests});
    server.answer(&id, required).await;
    let question = wire.answer().await;
    let error = json!({"code": -1, "message": "rejected", "data": [1]});
    wire.send(json!({"jsonrpc": "2.0", "id": question["id"], "error": error}))
        .await;
    assert_eq!(wire.answer().await["error"], error);
}

#[tokio::test(start_paused = true)]
async fn structured_content_that_is_not_an_object_is_wrapped() {
    let (proxy, mut behind) = proxy(Era::Stateless);
    let (mut wire, mut server) = bridged(&proxy, &mut behind).await;
    let tool = |name: &str, output: Value| json!({"name": name, "inputSchema": {"type": "object"}, "outputSchema": output});
    wire.send(request(1, "tools/list", json!({}))).await;
    let (id, _) = server.expect("tools/list").await;
    let tools = [
        tool("plain", json!({"type": "object"})),
        tool("either", json!({"type": ["object", "null"]})),
    ];
    let list =
        json!({"resultType": "complete", "ttlMs": 5, "cacheScope": "public", "tools": tools});
    server.answer(&id, list).await;
    let result = wire.answer().await["result"].clone();
    assert_eq!(result["resultType"], Value::Null, "{result}");
    assert_eq!(result["tools"][0], tools[0]);
    let wrapped = &result["tools"][1]["outputSchema"];
    assert_eq!(wrapped["type"], "object", "{wrapped}");
    assert!(wrapped["properties"]["result"].is_object(), "{wrapped}");
    for (name, content, expected) in [
        ("plain", json!({"a": 1}), json!({"a": 1})),
        ("plain", json!([1]), json!({"result": [1]})),
        ("either", json!({"a": 1}), json!({"result": {"a": 1}})),
        ("unlisted", Value::Null, json!({"result": null})),
    ] {
        wire.send(call(2, name, json!({}))).await;
        let (id, _) = server.expect("tools/call").await;
        let result = json!({"resultType": "complete", "content": [], "structuredContent": content});
        server.answer(&id, result).await;
        let result = wire.answer().await["result"].clone();
        assert_eq!(result["structuredContent"], expected, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_is_always_requested_from_the_server() {
    let (proxy, mut behind) = proxy(Era::Stateless);
    let (mut wire, mut server) = bridged(&proxy, &mut behind).await;
    // The server does not announce changes, and the client does not learn the `ttlMs`.
    for name in ["before", "after"] {
        wire.send(request(1, "tools/list", json!({}))).await;
        let (id, _) = in_time(server.expect("tools/list")).await;
        let tools = json!([{"name": name, "inputSchema": {"type": "object"}}]);
        let list = json!({
            "resultType": "complete", "ttlMs": 60_000, "cacheScope": "public", "tools": tools,
        });
        server.answer(&id, list).await;
        assert_eq!(wire.answer().await["result"], json!({"tools": tools}));
    }
}

#[tokio::test(start_paused = true)]
async fn progress_cancellation_and_errors_pass() {
    let (proxy, mut behind) = proxy(Era::Stateless);
    let (mut wire, mut server) = bridged(&proxy, &mut behind).await;
    let params = json!({"name": "a", "_meta": {"progressToken": 5}});
    wire.send(request("x", "tools/call", params)).await;
    let (id, params) = server.expect("tools/call").await;
    let token = &params["_meta"]["progressToken"];
    server
        .notify(
            "notifications/progress",
            json!({"progressToken": token, "progress": 1}),
        )
        .await;
    assert_eq!(
        wire.answer().await["params"],
        json!({"progressToken": 5, "progress": 1})
    );
    let cancelled = json!({"requestId": "x"});
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled});
    wire.send(cancelled).await;
    let (_, params) = server.expect("notifications/cancelled").await;
    assert_eq!(params["requestId"], id);

    for (data, code) in [(json!({"uri": "a:b"}), -32002), (json!({"x": 1}), -32602)] {
        wire.send(request(1, "resources/read", json!({"uri": "a:b"})))
            .await;
        let (id, _) = server.expect("resources/read").await;
        server.refuse(&id, -32602, data.clone()).await;
        let expected = json!({"code": code, "message": "no", "data": data});
        assert_eq!(wire.answer().await["error"], expected);
    }
}

#[tokio::test(start_paused = true)]
async fn clients_share_the_connection_to_a_stateless_server() {
    let (proxy, mut behind) = proxy(Era::Stateless);
    let (mut first, mut server) = bridged(&proxy, &mut behind).await;
    let mut second = Wire::to(&proxy).await;
    second
        .send(introduced("second", json!({"sampling": {}})))
        .await;
    assert!(second.answer().await["result"].is_object());
    second
        .send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        .await;
    second.send(call(1, "b", json!({}))).await;
    let (b, params) = server.expect("tools/call").await;
    let capabilities = "io.modelcontextprotocol/clientCapabilities";
    assert_eq!(params["_meta"][capabilities], json!({"sampling": {}}));
    first.send(call(1, "a", json!({}))).await;
    let (a, params) = server.expect("tools/call").await;
    assert_eq!(params["_meta"][capabilities], json!({}));
    server
        .answer(&b, json!({"resultType": "complete", "content": [1]}))
        .await;
    server
        .answer(&a, json!({"resultType": "complete", "content": [2]}))
        .await;
    assert_eq!(first.answer().await["result"]["content"], json!([2]));
    assert_eq!(second.answer().await["result"]["content"], json!([1]));
    assert!(behind.is_empty());
}
