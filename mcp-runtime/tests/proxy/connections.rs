//! The connections of clients, and what happens when a server ends or can't start.

use std::time::Duration;

use mcp_runtime::proxy::{Proxy, Upstream};
use mcp_runtime::server::McpServer as _;
use mcp_runtime::{Client, Era};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use crate::behind::{Behind, HANDSHAKE, asked, introduced, proxy, session, upstream};
use crate::support::scripted::Scripted;
use crate::support::{Wire, call, request, stateless};

/// Connects a client with these capabilities.
async fn client(
    proxy: &mcp_runtime::Server,
    behind: &mut Behind,
    name: &str,
    capabilities: Value,
) -> (Wire, Scripted) {
    let mut wire = Wire::to(proxy).await;
    wire.send(introduced(name, capabilities.clone())).await;
    let mut server = behind.next().await;
    let params = server.shake_hands(HANDSHAKE).await;
    assert_eq!(params["clientInfo"]["name"], name);
    assert_eq!(params["capabilities"], capabilities);
    wire.answer().await;
    wire.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        .await;
    (wire, server)
}

#[tokio::test(start_paused = true)]
async fn each_client_with_a_handshake_has_its_own_connection() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let roots = json!({"roots": {"listChanged": true}});
    let (mut first, mut one) = client(&proxy, &mut behind, "first", roots).await;
    let (mut second, mut two) = client(&proxy, &mut behind, "second", json!({})).await;
    first.send(call(1, "a", json!({}))).await;
    one.expect("tools/call").await;
    second.send(call(1, "b", json!({}))).await;
    two.expect("tools/call").await;
    // Both calls are in flight, and each server asks its own client.
    for (server, wire) in [(&mut one, &mut first), (&mut two, &mut second)] {
        server.send(request("q", "roots/list", json!({}))).await;
        let question = wire.answer().await;
        let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": []}});
        wire.send(answer).await;
        assert_eq!(server.next().await.unwrap()["result"], json!({"roots": []}));
    }
    one.notify("notifications/tools/list_changed", json!({}))
        .await;
    assert_eq!(
        first.answer().await["method"],
        "notifications/tools/list_changed"
    );
    two.answer(&json!(2), json!({"content": []})).await;
    assert_eq!(second.answer().await["id"], 1);
}

#[tokio::test(start_paused = true)]
async fn clients_can_share_a_connection() {
    let (upstream, mut behind) = upstream(Era::Handshake);
    let proxy = Proxy::new(upstream).shared().into_server();
    let (mut first, mut server) = session(&proxy, &mut behind).await;
    let mut second = Wire::to(&proxy).await;
    second.handshake(HANDSHAKE).await;
    assert!(behind.is_empty());
    server
        .notify("notifications/tools/list_changed", json!({}))
        .await;
    for wire in [&mut first, &mut second] {
        assert_eq!(
            wire.answer().await["method"],
            "notifications/tools/list_changed"
        );
    }
    first.send(call(1, "a", json!({}))).await;
    let (a, _) = server.expect("tools/call").await;
    server.send(request("p", "roots/list", json!({}))).await;
    let question = first.answer().await;
    assert_eq!(question["method"], "roots/list");

    // The server does not say whose call its next question belongs to.
    second.send(call(1, "b", json!({}))).await;
    let (b, _) = server.expect("tools/call").await;
    server.send(request("q", "roots/list", json!({}))).await;
    let refused = server.next().await.unwrap();
    assert_eq!(refused["id"], "q");
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("several callers"), "{message}");
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": []}});
    first.send(answer).await;
    assert_eq!(server.next().await.unwrap()["id"], "p");
    server.answer(&b, json!({"of": "b"})).await;
    server.answer(&a, json!({"of": "a"})).await;
    assert_eq!(first.answer().await["result"], json!({"of": "a"}));
    assert_eq!(second.answer().await["result"], json!({"of": "b"}));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_dies_fails_its_calls_and_is_started_again() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let (mut wire, mut server) = session(&proxy, &mut behind).await;
    for (method, result) in [
        ("tools/list", json!({"tools": [{"name": "a"}]})),
        ("prompts/list", json!({"prompts": []})),
    ] {
        wire.send(request(1, method, json!({}))).await;
        let (id, _) = server.expect(method).await;
        server.answer(&id, result).await;
        wire.answer().await;
    }
    wire.send(request(2, "logging/setLevel", json!({"level": "debug"})))
        .await;
    let (id, _) = server.expect("logging/setLevel").await;
    server.answer(&id, json!({})).await;
    wire.answer().await;

    wire.send(call(3, "slow", json!({}))).await;
    server.expect("tools/call").await;
    let before = Instant::now();
    drop(server);
    let failed = wire.answer().await;
    assert_eq!(failed["id"], 3);
    assert!(failed["error"].is_object(), "{failed}");
    assert_eq!(before.elapsed(), Duration::ZERO);

    wire.send(call(4, "next", json!({}))).await;
    let mut server = behind.operating().await;
    assert!(
        before.elapsed() < Duration::from_secs(1),
        "{:?}",
        before.elapsed()
    );
    let mut names = Vec::new();
    for _ in 0..4 {
        let message = server.next().await.unwrap();
        let result = match message["method"].as_str().unwrap() {
            "logging/setLevel" => {
                assert_eq!(message["params"], json!({"level": "debug"}));
                json!({})
            }
            "tools/list" => json!({"tools": [{"name": "b"}]}),
            "prompts/list" => json!({"prompts": []}),
            _ => {
                assert_eq!(message["params"]["name"], "next");
                json!({"content": []})
            }
        };
        names.push(message["method"].as_str().unwrap().to_owned());
        server.answer(&message["id"], result).await;
    }
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "logging/setLevel",
            "prompts/list",
            "tools/call",
            "tools/list"
        ]
    );
    let mut told = [wire.answer().await, wire.answer().await];
    told.sort_by_key(|message| message["id"].is_null());
    assert_eq!(told[0]["id"], 4);
    assert_eq!(told[1]["method"], "notifications/tools/list_changed");
    // The prompts have not changed.
    let silence = timeout(Duration::from_secs(5), wire.next());
    silence.await.unwrap_err();
}

#[tokio::test(start_paused = true)]
async fn a_call_of_a_stateless_client_fails_with_its_server() {
    for era in [Era::Handshake, Era::Stateless] {
        let (proxy, mut behind) = proxy(era);
        let mut wire = Wire::to(&proxy).await;
        let message = asked(1, "tools/call", json!({"name": "a"}), json!({"roots": {}}));
        wire.send(message.clone()).await;
        for _ in 0..2 {
            let mut server = match era {
                Era::Handshake => behind.operating().await,
                _ => behind.discovered().await,
            };
            server.expect("tools/call").await;
            drop(server);
            let failed = wire.answer().await;
            assert!(failed["error"].is_object(), "{failed}");
            wire.send(message.clone()).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_caller_learns_why_a_server_can_not_start() {
    let upstream = Upstream::new(async |_| Err::<Client, _>("no such program: shop"));
    let proxy = Proxy::new(upstream).into_server();
    let mut old = Wire::to(&proxy).await;
    let mut new = Wire::to(&proxy).await;
    for answer in [
        old.ask(introduced("c", json!({}))).await,
        new.ask(stateless(1, "server/discover", json!({}))).await,
        new.ask(stateless(2, "tools/call", json!({"name": "a"})))
            .await,
    ] {
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("no such program: shop"), "{message}");
    }
}

#[tokio::test(start_paused = true)]
async fn hidden_tools_are_refused_in_both_eras() {
    let (upstream, mut behind) = upstream(Era::Handshake);
    let proxy = Proxy::new(upstream);
    let proxy = proxy.tools(|name| !name.ends_with("_delete")).into_server();
    let (mut wire, mut server) = session(&proxy, &mut behind).await;
    wire.send(request(1, "tools/list", json!({}))).await;
    let (id, _) = server.expect("tools/list").await;
    let tools = json!([{"name": "a"}, {"name": "a_delete"}, {"name": "b"}]);
    server.answer(&id, json!({"tools": tools})).await;
    let shown = json!({"tools": [{"name": "a"}, {"name": "b"}]});
    assert_eq!(wire.answer().await["result"], shown);
    let refused = wire.ask(call(2, "a_delete", json!({}))).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let mut other = Wire::to(&proxy).await;
    let refused = other
        .ask(stateless(2, "tools/call", json!({"name": "a_delete"})))
        .await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    assert!(behind.is_empty());
}

#[tokio::test(start_paused = true)]
async fn all_connections_are_closed_when_the_proxy_ends() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let mut wire = Wire::to(&proxy).await;
    wire.send(stateless(1, "tools/call", json!({"name": "a"})))
        .await;
    let mut server = behind.operating().await;
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, json!({"content": []})).await;
    wire.answer().await;
    let (closed, end) = tokio::join!(wire.close(), server.next());
    closed.unwrap();
    assert_eq!(end, None);
}

#[tokio::test(start_paused = true)]
async fn an_idle_connection_is_closed_for_another_one() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let mut wire = Wire::to(&proxy).await;
    let mut servers = Vec::new();
    for number in 0..=100 {
        let capabilities = json!({"experimental": {"number": number}});
        wire.send(asked(number, "tools/list", json!({}), capabilities))
            .await;
        let opened = timeout(Duration::from_secs(60), behind.operating());
        let mut server = opened.await.unwrap();
        let (id, _) = server.expect("tools/list").await;
        server.answer(&id, json!({"tools": []})).await;
        assert_eq!(wire.answer().await["id"], number);
        servers.push(server);
    }
    assert_eq!(servers[0].next().await, None);
}
