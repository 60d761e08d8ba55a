//! Subscriptions of clients that have no conversation.

#![allow(clippy::unwrap_used)]

mod support;

use mcp_runtime::Server;
use mcp_runtime::server::resources::{IntoContents as _, ResourceRoute};
use mcp_runtime::server::{Change, List, Reply};
use mcp_runtime::types::Resource;
use serde_json::{Value, json};
use support::{Wire, builder, stateless};

fn server() -> Server {
    let mut server = builder();
    server.dynamic([List::Tools, List::Resources]);
    let resource = |name: &str| Resource::new(name, format!("test://{name}"));
    let route =
        |name| ResourceRoute::resource(resource(name), |_| Reply::Ready("x".into_contents()));
    server.resource_route(route("first").subscribable());
    server.resource_route(route("second").subscribable());
    server.resource_route(route("fixed"));
    server.build()
}

fn listen(id: impl Into<Value>, filter: Value) -> Value {
    stateless(id, "subscriptions/listen", json!({"notifications": filter}))
}

fn about(id: impl Into<Value>, mut rest: Value) -> Value {
    rest["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": id.into()});
    rest
}

fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": format!("notifications/{method}"), "params": params})
}

fn updated(id: impl Into<Value>, uri: &str) -> Value {
    notification("resources/updated", about(id, json!({"uri": uri})))
}

/// Subscribes, and checks what is acknowledged.
async fn subscribed(wire: &mut Wire, id: impl Into<Value>, filter: Value, accepted: Value) {
    let id = id.into();
    let acknowledged = wire.ask(listen(id.clone(), filter)).await;
    let params = about(id, json!({"notifications": accepted}));
    assert_eq!(
        acknowledged,
        notification("subscriptions/acknowledged", params)
    );
}

#[tokio::test]
async fn what_can_not_be_delivered_is_not_promised() {
    let mut wire = Wire::to(&server()).await;
    let wanted = json!({
        "toolsListChanged": true,
        "promptsListChanged": true,
        "resourcesListChanged": false,
        "resourceSubscriptions": ["test://first", "test://fixed", "test://nothing"],
    });
    let accepted = json!({
        "toolsListChanged": true,
        "resourcesListChanged": false,
        "resourceSubscriptions": ["test://first"],
    });
    subscribed(&mut wire, 7, wanted, accepted).await;

    let mut silent = Wire::open().await;
    let refused = silent
        .ask(listen(1, json!({"toolsListChanged": true})))
        .await;
    assert_eq!(refused["error"]["code"], -32601, "{refused}");
}

#[tokio::test]
async fn each_subscription_gets_what_it_asked_for_under_its_id() {
    let server = server();
    let mut wire = Wire::to(&server).await;
    let tools = json!({"toolsListChanged": true});
    subscribed(&mut wire, "tools", tools.clone(), tools).await;
    let second = json!({"resourceSubscriptions": ["test://second"]});
    subscribed(&mut wire, 2, second.clone(), second).await;
    server.notify_resource_updated("test://first");
    server.notify_changed(Change::Resources);
    server.notify_resource_updated("test://second");
    assert_eq!(wire.answer().await, updated(2, "test://second"));
    server.notify_changed(Change::Tools);
    let expected = notification("tools/list_changed", about("tools", json!({})));
    assert_eq!(wire.answer().await, expected);
    wire.lives_on().await;
}

#[tokio::test]
async fn a_subscription_that_is_cancelled_is_over_without_an_answer() {
    let server = server();
    let mut wire = Wire::to(&server).await;
    let tools = json!({"toolsListChanged": true});
    subscribed(&mut wire, 1, tools.clone(), tools).await;
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 1}});
    wire.send(cancel).await;
    wire.lives_on().await;
    server.notify_changed(Change::Tools);
    assert_eq!(wire.drain().await, [] as [Value; 0]);
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_server_ends_subscriptions_at_once_and_in_good_order() {
    let begun = tokio::time::Instant::now();
    let mut wire = Wire::to(&server()).await;
    let tools = json!({"toolsListChanged": true});
    subscribed(&mut wire, 1, tools.clone(), tools).await;
    let rest = wire.drain().await;
    assert_eq!(rest.len(), 1, "{rest:?}");
    let result = &rest[0]["result"];
    assert_eq!(rest[0]["id"], 1);
    assert_eq!(result["resultType"], "complete");
    let meta = &result["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/subscriptionId"], 1);
    let name = &meta["io.modelcontextprotocol/serverInfo"]["name"];
    assert_eq!(name, "fixture");
    assert_eq!(begun.elapsed().as_secs(), 0);
}

#[tokio::test]
async fn subscriptions_do_not_take_the_place_of_calls() {
    let mut wire = Wire::to(&server()).await;
    let tools = json!({"toolsListChanged": true});
    for id in 0..256 {
        subscribed(&mut wire, id, tools.clone(), tools.clone()).await;
    }
    let refused = wire.ask(listen(256, tools.clone())).await;
    assert_eq!(refused["error"]["code"], -32603, "{refused}");
    let answer = wire
        .ask(stateless(300, "tools/call", json!({"name": "soon"})))
        .await;
    assert!(answer["result"].is_object(), "{answer}");
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 5}});
    wire.send(cancel).await;
    subscribed(&mut wire, 256, tools.clone(), tools).await;
}

#[tokio::test(start_paused = true)]
async fn a_thousand_subscribers_get_every_update_beside_one_that_does_not_read() {
    let server = server();
    let first = json!({"resourceSubscriptions": ["test://first"], "resourcesListChanged": true});
    let mut stalled = Wire::to(&server).await;
    subscribed(&mut stalled, 0, first.clone(), first.clone()).await;
    let mut readers = Vec::new();
    for _ in 0..1000 {
        let mut wire = Wire::to(&server).await;
        subscribed(&mut wire, 1, first.clone(), first.clone()).await;
        readers.push(wire);
    }
    for round in 0..20 {
        if round % 2 == 0 {
            server.notify_resource_updated("test://first");
        } else {
            server.notify_changed(Change::Resources);
        }
        for wire in &mut readers {
            let told = wire.answer().await;
            let expected = if round % 2 == 0 {
                updated(1, "test://first")
            } else {
                notification("resources/list_changed", about(1, json!({})))
            };
            assert_eq!(told, expected);
        }
    }
    drop(stalled);
}
