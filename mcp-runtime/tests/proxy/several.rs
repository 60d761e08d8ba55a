//! Several servers as one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mcp_runtime::proxy::{Proxy, Upstream};
use mcp_runtime::server::McpServer as _;
use mcp_runtime::server::tools::ToolBuilder;
use mcp_runtime::types::Implementation;
use mcp_runtime::{Client, Era, Server};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::behind::{Behind, HANDSHAKE, asked, introduced, upstream, upstream_after};
use crate::support::clock::in_time;
use crate::support::scripted::{Scripted, discovered};
use crate::support::{Wire, call, request, stateless};

/// Returns a proxy of the servers `a`, with a handshake, and `b`, which is stateless.
fn both() -> (Server, Behind, Behind) {
    let (one, a) = upstream(Era::Handshake);
    let (two, b) = upstream(Era::Stateless);
    (Proxy::several([("a", one), ("b", two)]).into_server(), a, b)
}

/// Connects a client with a handshake.
async fn connected() -> (Wire, Scripted, Scripted) {
    let (proxy, mut a, mut b) = both();
    let mut wire = Wire::to(&proxy).await;
    let (_, a, b) = tokio::join!(wire.handshake(HANDSHAKE), a.operating(), b.discovered());
    (wire, a, b)
}

async fn answered(server: &mut Scripted, method: &str, result: Value) -> Value {
    let (id, params) = server.expect(method).await;
    server.answer(&id, result).await;
    params
}

#[tokio::test(start_paused = true)]
async fn lists_are_joined_with_prefixes() {
    let (mut wire, mut a, mut b) = connected().await;
    for (method, list, key, items, expected) in [
        ("tools/list", "tools", "name", ["x", "y"], ["a_x", "b_y"]),
        (
            "prompts/list",
            "prompts",
            "name",
            ["x", "y"],
            ["a_x", "b_y"],
        ),
        (
            "resources/list",
            "resources",
            "uri",
            ["file:///x", "ui://y"],
            ["a+file:///x", "ui://b/y"],
        ),
        (
            "resources/templates/list",
            "resourceTemplates",
            "uriTemplate",
            ["file:///{x}", "ui://{y}"],
            ["a+file:///{x}", "ui://b/{y}"],
        ),
    ] {
        wire.send(request(1, method, json!({}))).await;
        let first = json!({list: [{key: items[0], "z": 1}], "nextCursor": "2"});
        answered(&mut a, method, first).await;
        let page = answered(&mut a, method, json!({list: []})).await;
        assert_eq!(page["cursor"], "2");
        let result = json!({"resultType": "complete", list: [{key: items[1]}]});
        answered(&mut b, method, result).await;
        let result = wire.answer().await["result"].clone();
        let listed = json!([{key: expected[0], "z": 1}, {key: expected[1]}]);
        assert_eq!(result[list], listed, "{method}: {result}");
        assert_eq!(result["nextCursor"], Value::Null);
    }
}

#[tokio::test(start_paused = true)]
async fn requests_reach_the_server_that_they_name() {
    let (mut wire, mut a, _b) = connected().await;
    for (method, params, received) in [
        (
            "tools/call",
            json!({"name": "a_x_y"}),
            json!({"name": "x_y"}),
        ),
        ("prompts/get", json!({"name": "a_x"}), json!({"name": "x"})),
        (
            "resources/read",
            json!({"uri": "A+file:///x"}),
            json!({"uri": "file:///x"}),
        ),
        (
            "resources/subscribe",
            json!({"uri": "ui://a/x"}),
            json!({"uri": "ui://x"}),
        ),
        (
            "tasks/get",
            json!({"taskId": "a_7"}),
            json!({"taskId": "7"}),
        ),
        (
            "tasks/cancel",
            json!({"taskId": "a_7"}),
            json!({"taskId": "7"}),
        ),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "a_x"}, "argument": {}}),
            json!({"ref": {"type": "ref/prompt", "name": "x"}, "argument": {}}),
        ),
    ] {
        wire.send(request(1, method, params)).await;
        assert_eq!(answered(&mut a, method, json!({"k": 1})).await, received);
        assert_eq!(wire.answer().await["result"], json!({"k": 1}), "{method}");
    }
    for (method, params, text) in [
        ("tools/call", json!({"name": "c_x"}), "c_x"),
        ("tools/call", json!({"name": "ax"}), "ax"),
        ("prompts/get", json!({"name": "x"}), "x"),
        ("resources/read", json!({"uri": "file:///x"}), "file:///x"),
        ("com.example/any", json!({}), "com.example/any"),
    ] {
        let error = wire.ask(request(2, method, params)).await["error"].clone();
        assert!(error["message"].as_str().unwrap().contains(text), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn results_and_questions_have_the_prefix() {
    let (mut wire, mut a, mut b) = connected().await;
    wire.send(call(1, "a_x", json!({}))).await;
    let (id, _) = a.expect("tools/call").await;
    a.send(request("q", "roots/list", json!({}))).await;
    let question = wire.answer().await;
    let roots = json!({"roots": []});
    wire.send(json!({"jsonrpc": "2.0", "id": question["id"], "result": roots}))
        .await;
    assert_eq!(a.next().await.unwrap()["result"], roots);
    let content = json!([{"type": "resource_link", "uri": "file:///x", "name": "x"}]);
    a.answer(&id, json!({"content": content, "task": {"taskId": "7"}}))
        .await;
    let result = wire.answer().await["result"].clone();
    assert_eq!(result["content"][0]["uri"], "a+file:///x");
    assert_eq!(result["task"]["taskId"], "a_7");

    // The client sees its own names, and the question is translated for it.
    wire.send(call(2, "b_y", json!({}))).await;
    let requests = json!({"k": {"method": "roots/list", "params": {}}});
    let required = json!({"resultType": "input_required", "inputRequests": requests});
    answered(&mut b, "tools/call", required).await;
    let question = wire.answer().await;
    wire.send(json!({"jsonrpc": "2.0", "id": question["id"], "result": roots}))
        .await;
    let result = json!({"resultType": "complete", "content": content});
    let params = answered(&mut b, "tools/call", result).await;
    assert_eq!(
        (&params["name"], &params["inputResponses"]["k"]),
        (&json!("y"), &roots)
    );
    assert_eq!(
        wire.answer().await["result"]["content"][0]["uri"],
        "b+file:///x"
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_can_not_start_does_not_stop_the_others() {
    let (one, mut a) = upstream(Era::Handshake);
    let (two, mut b) = upstream(Era::Stateless);
    let is_there = Arc::new(AtomicBool::new(false));
    let there = Arc::clone(&is_there);
    let (three, mut c) = upstream_after(Era::Handshake, move || {
        let is_there = there.load(Ordering::Acquire);
        async move { is_there.then_some(()).ok_or("no such program") }
    });
    let proxy = Proxy::several([("a", one), ("b", two), ("c", three)]).into_server();
    let mut wire = Wire::to(&proxy).await;
    let (introduced, mut a, mut b) =
        tokio::join!(wire.handshake(HANDSHAKE), a.operating(), b.discovered());
    let capabilities = &introduced["result"]["capabilities"];
    for list in ["tools", "prompts", "resources"] {
        assert_eq!(capabilities[list]["listChanged"], true, "{introduced}");
    }
    let tools = |name: &str| json!({"resultType": "complete", "tools": [{"name": name}]});
    wire.send(request(1, "tools/list", json!({}))).await;
    answered(&mut a, "tools/list", tools("x")).await;
    answered(&mut b, "tools/list", tools("y")).await;
    let listed = json!([{"name": "a_x"}, {"name": "b_y"}]);
    assert_eq!(wire.answer().await["result"]["tools"], listed);
    let failed = wire.ask(call(2, "c_z", json!({}))).await;
    let message = failed["error"]["message"].as_str().unwrap();
    assert!(message.contains("no such program"), "{message}");

    is_there.store(true, Ordering::Release);
    let mut c = c.operating().await;
    let mut told = Vec::new();
    for _ in 0..3 {
        told.push(wire.answer().await["method"].as_str().unwrap().to_owned());
    }
    told.sort_unstable();
    let lists = ["prompts", "resources", "tools"];
    assert_eq!(
        told,
        lists.map(|list| format!("notifications/{list}/list_changed"))
    );
    wire.send(call(3, "c_z", json!({}))).await;
    answered(&mut c, "tools/call", json!({"content": []})).await;
    assert_eq!(wire.answer().await["result"], json!({"content": []}));
}

#[tokio::test(start_paused = true)]
async fn if_no_server_can_start_the_reason_is_the_answer() {
    let dead =
        |reason: &'static str| Upstream::new(move |_| async move { Err::<Client, _>(reason) });
    let proxy = Proxy::several([("a", dead("first reason")), ("b", dead("second"))]).into_server();
    let mut old = Wire::to(&proxy).await;
    let answer = old.ask(introduced("c", json!({}))).await;
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("first reason"), "{message}");
    let mut new = Wire::to(&proxy).await;
    let answer = new.ask(stateless(1, "server/discover", json!({}))).await;
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("first reason"), "{message}");
}

#[tokio::test(start_paused = true)]
async fn servers_are_introduced_as_one() {
    let (proxy, mut a, mut b) = both();
    let mut wire = Wire::to(&proxy).await;
    wire.send(introduced("c", json!({}))).await;
    let mut server = a.next().await;
    let opened = json!({
        "protocolVersion": HANDSHAKE, "serverInfo": {"name": "s", "version": "1"},
        "capabilities": {"tools": {}, "experimental": {"e": {}}}, "instructions": "Be kind.",
    });
    answered(&mut server, "initialize", opened).await;
    let mut server = b.next().await;
    let found = json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0,
        "cacheScope": "private", "capabilities": {"prompts": {"listChanged": true}},
    });
    answered(&mut server, "server/discover", found).await;
    let result = wire.answer().await["result"].clone();
    assert_eq!(result["protocolVersion"], HANDSHAKE);
    assert_eq!(result["serverInfo"]["name"], "mcp-proxy");
    let capabilities = json!({"tools": {}, "prompts": {"listChanged": true}});
    assert_eq!(result["capabilities"], capabilities);
    let instructions = result["instructions"].as_str().unwrap();
    assert!(
        instructions.contains("`a_`") && instructions.contains("Be kind."),
        "{instructions}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_program_names_its_proxy_and_instructs_first() {
    let (one, mut servers) = upstream(Era::Stateless);
    let mut builder = Proxy::several([("a", one)]).into_builder();
    let info = Implementation::new("gateway", "7").with_title("Gateway");
    builder.info(info).instructions("Ask first.");
    let proxy = builder.build();
    let mut found = discovered(&["2026-07-28"]);
    found["instructions"] = "Be kind.".into();
    let mut wire = Wire::to(&proxy).await;
    wire.send(introduced("c", json!({}))).await;
    let mut server = servers.next().await;
    answered(&mut server, "server/discover", found.clone()).await;
    let old = wire.answer().await["result"].clone();
    wire = Wire::to(&proxy).await;
    wire.send(stateless(1, "server/discover", json!({}))).await;
    answered(&mut server, "server/discover", found).await;
    let new = wire.answer().await["result"].clone();
    for (result, info) in [
        (&old, &old["serverInfo"]),
        (&new, &new["_meta"]["io.modelcontextprotocol/serverInfo"]),
    ] {
        let expected = json!({"name": "gateway", "title": "Gateway", "version": "7"});
        assert_eq!(*info, expected, "{result}");
        let instructions = "Ask first.\n\nAbout everything that begins with `a_`:\nBe kind.";
        assert_eq!(result["instructions"], instructions);
        assert_eq!(result["capabilities"], json!({"tools": {}}));
    }
    assert_eq!(new["resultType"], "complete");
    assert_eq!(new["supportedVersions"][0], "2026-07-28");
}

#[tokio::test(start_paused = true)]
async fn a_ticket_belongs_to_one_server() {
    let (one, mut a) = upstream(Era::Handshake);
    let (two, mut b) = upstream(Era::Handshake);
    let proxy = Proxy::several([("a", one), ("b", two)]).into_server();
    let mut wire = Wire::to(&proxy).await;
    let call = |id, name: &str, more: Value| {
        let mut params = more;
        params["name"] = name.into();
        asked(id, "tools/call", params, json!({"roots": {}}))
    };
    wire.send(call(1, "a_x", json!({}))).await;
    let mut a = a.operating().await;
    let (id, _) = a.expect("tools/call").await;
    a.send(request("q", "roots/list", json!({}))).await;
    let ticket = wire.answer().await["result"]["requestState"].clone();
    let retry = json!({"requestState": ticket, "inputResponses": {"1": {"roots": []}}});
    wire.send(call(2, "b_x", retry.clone())).await;
    let mut b = b.operating().await;
    let refused = wire.answer().await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    wire.send(call(3, "a_x", retry)).await;
    assert_eq!(a.next().await.unwrap()["id"], "q");
    a.answer(&id, json!({"content": []})).await;
    assert_eq!(wire.answer().await["id"], 3);
    drop(wire);
    assert_eq!(b.next().await, None);
}

#[tokio::test(start_paused = true)]
async fn one_subscription_listens_to_all_servers() {
    let (proxy, mut a, mut b) = both();
    let mut wire = Wire::to(&proxy).await;
    let filter = json!({"resourceSubscriptions": ["a+x:1", "b+x:2"], "toolsListChanged": true});
    let listen = json!({"notifications": filter});
    wire.send(stateless(7, "subscriptions/listen", listen))
        .await;
    let mut a = a.operating().await;
    let mut b = b.discovered().await;
    assert_eq!(
        answered(&mut a, "resources/subscribe", json!({})).await["uri"],
        "x:1"
    );
    let (id, params) = b.expect("subscriptions/listen").await;
    let of_b = json!({"resourceSubscriptions": ["x:2"], "toolsListChanged": true});
    assert_eq!(params["notifications"], of_b);
    let key = "io.modelcontextprotocol/subscriptionId";
    let params = json!({"notifications": of_b, "_meta": {key: id}});
    b.notify("notifications/subscriptions/acknowledged", params)
        .await;
    let acknowledged = wire.answer().await;
    assert_eq!(
        acknowledged["params"]["notifications"], filter,
        "{acknowledged}"
    );
    assert_eq!(acknowledged["params"]["_meta"], json!({key: 7}));
    b.notify(
        "notifications/resources/updated",
        json!({"uri": "x:2", "_meta": {key: id}}),
    )
    .await;
    let told = wire.answer().await;
    assert_eq!(told["params"], json!({"uri": "b+x:2", "_meta": {key: 7}}));
    a.notify("notifications/resources/updated", json!({"uri": "x:1"}))
        .await;
    let told = wire.answer().await;
    assert_eq!(told["params"], json!({"uri": "a+x:1", "_meta": {key: 7}}));
}

#[tokio::test(start_paused = true)]
async fn a_subscription_hears_of_a_server_that_starts_later() {
    let (one, mut a) = upstream(Era::Handshake);
    let is_there = Arc::new(AtomicBool::new(false));
    let there = Arc::clone(&is_there);
    let (two, mut b) = upstream_after(Era::Stateless, move || {
        let is_there = there.load(Ordering::Acquire);
        async move { is_there.then_some(()).ok_or("no such program") }
    });
    let proxy = Proxy::several([("a", one), ("b", two)]).into_server();
    let mut wire = Wire::to(&proxy).await;
    let filter = json!({"resourceSubscriptions": ["b+x:2"], "toolsListChanged": true});
    let listen = json!({"notifications": filter});
    wire.send(stateless(7, "subscriptions/listen", listen))
        .await;
    let _a = a.operating().await;
    let acknowledged = wire.answer().await;
    assert_eq!(acknowledged["params"]["notifications"], filter);
    is_there.store(true, Ordering::Release);
    let mut server = b.discovered().await;
    for is_last in [false, true] {
        let (id, _) = server.expect("subscriptions/listen").await;
        let key = "io.modelcontextprotocol/subscriptionId";
        let accepted = json!({"toolsListChanged": true});
        let params = json!({"notifications": accepted, "_meta": {key: id}});
        server
            .notify("notifications/subscriptions/acknowledged", params)
            .await;
        let told = wire.answer().await;
        assert_eq!(told["method"], "notifications/tools/list_changed");
        assert_eq!(told["params"], json!({"_meta": {key: 7}}));
        let silence = timeout(Duration::from_secs(5), wire.next());
        silence.await.unwrap_err();
        if !is_last {
            // The connection is lost for longer than its client tries to restore it.
            drop(server);
            for _ in 0..8 {
                in_time(b.next()).await;
            }
            server = in_time(b.discovered()).await;
        }
    }
    drop(wire);
    server.expect("notifications/cancelled").await;
    assert_eq!(server.next().await, None);
}

#[test]
#[should_panic(expected = "must be a letter")]
fn a_prefix_begins_with_a_letter() {
    let (one, _) = upstream(Era::Handshake);
    let _ = Proxy::several([("1a", one)]);
}

#[test]
#[should_panic(expected = "occurs twice")]
fn prefixes_differ_in_more_than_case() {
    let (one, _) = upstream(Era::Handshake);
    let _ = Proxy::several([("a", one.clone()), ("A", one)]);
}

#[test]
#[should_panic(expected = "a proxy can't have tools, prompts or resources of its own")]
fn a_proxy_has_no_tools_of_its_own() {
    let (one, _) = upstream(Era::Handshake);
    let mut proxy = Proxy::new(one).into_builder();
    let _ = proxy.tool(ToolBuilder::new("t").call(|(), _| "")).build();
}

#[test]
#[should_panic(expected = "a proxy can't be mounted")]
fn a_proxy_is_not_mounted() {
    let (one, _) = upstream(Era::Handshake);
    mcp_runtime::Server::builder().mount("a", Proxy::new(one));
}
