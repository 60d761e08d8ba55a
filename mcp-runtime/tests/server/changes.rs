//! Notifications of changes in the handshake era.

use mcp_runtime::Change;
use mcp_runtime::Server;
use mcp_runtime::server::{
    Reply,
    resources::{IntoContents as _, ResourceEntry, UriTemplate},
};
use serde_json::{Value, json};

use crate::support::listening::server;
use crate::support::{Wire, builder, request};

async fn connected(server: &Server) -> Wire {
    let mut wire = Wire::to(server).await;
    let answer = wire.handshake("2025-11-25").await;
    let capabilities = &answer["result"]["capabilities"];
    assert_eq!(capabilities["tools"]["listChanged"], true);
    assert_eq!(
        capabilities["resources"],
        json!({"listChanged": true, "subscribe": true})
    );
    assert!(capabilities["prompts"].is_null());
    // The answer shows that the notification before it has arrived.
    wire.ask(request(1, "ping", json!({}))).await;
    wire
}

async fn subscription(wire: &mut Wire, method: &str, uri: &str) -> Value {
    let method = format!("resources/{method}");
    wire.ask(request(2, &method, json!({"uri": uri}))).await
}

fn updated(uri: &str) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}})
}

#[tokio::test]
async fn clients_are_told_which_lists_change() {
    let server = server();
    let mut wire = connected(&server).await;
    for (change, method) in [
        (Change::Tools, "notifications/tools/list_changed"),
        (Change::Resources, "notifications/resources/list_changed"),
    ] {
        server.notify_changed(change);
        let told = wire.next().await.unwrap();
        assert_eq!(told, json!({"jsonrpc": "2.0", "method": method}));
    }
    server.notify_changed(Change::Prompts);
    server.notify_changed(Change::Tools);
    let told = wire.next().await.unwrap();
    assert_eq!(told["method"], "notifications/tools/list_changed");
}

#[tokio::test]
async fn clients_are_told_of_the_resources_that_they_subscribe_to() {
    let server = server();
    let mut wire = connected(&server).await;
    for uri in ["test://first", "test://second"] {
        let answer = subscription(&mut wire, "subscribe", uri).await;
        assert_eq!(answer["result"], json!({}), "{answer}");
    }
    server.notify_resource_updated("test://fixed");
    server.notify_resource_updated("test://second");
    assert_eq!(wire.next().await.unwrap(), updated("test://second"));

    let answer = subscription(&mut wire, "unsubscribe", "test://second").await;
    assert_eq!(answer["result"], json!({}), "{answer}");
    server.notify_resource_updated("test://second");
    server.notify_resource_updated("test://first");
    assert_eq!(wire.next().await.unwrap(), updated("test://first"));
}

#[tokio::test(start_paused = true)]
async fn what_changes_often_is_said_once() {
    let server = server();
    let mut wire = connected(&server).await;
    subscription(&mut wire, "subscribe", "test://first").await;
    for _ in 0..1000 {
        server.notify_resource_updated("test://first");
    }
    assert_eq!(wire.next().await.unwrap(), updated("test://first"));
    for _ in 0..1000 {
        server.notify_resource_updated("test://first");
        tokio::task::yield_now().await;
    }
    assert_eq!(wire.next().await.unwrap(), updated("test://first"));
    let rest = wire.drain().await;
    assert_eq!(rest, [] as [Value; 0]);
}

#[tokio::test]
async fn only_what_announces_its_changes_can_be_subscribed_to() {
    let server = server();
    let mut wire = connected(&server).await;
    let answer = subscription(&mut wire, "subscribe", "test://nothing").await;
    assert_eq!(answer["error"]["code"], -32002, "{answer}");
    let answer = subscription(&mut wire, "subscribe", "test://fixed").await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");

    let mut wire = Wire::operating("2025-11-25").await;
    let answer = subscription(&mut wire, "subscribe", "test://first").await;
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
}

#[tokio::test]
async fn a_client_has_a_limited_number_of_subscriptions() {
    let mut server = builder();
    let template = UriTemplate::parse("test://{name}").unwrap();
    let listed = mcp_runtime::types::ResourceTemplate::new("any", "");
    let entry = ResourceEntry::template(listed, template, |_| Reply::Ready("x".into_contents()));
    server.resource(entry.subscribable());
    let mut wire = Wire::to(&server.build()).await;
    wire.handshake("2025-11-25").await;
    for number in 0..1000 {
        let uri = format!("test://{number}");
        let answer = subscription(&mut wire, "subscribe", &uri).await;
        assert!(answer["error"].is_null(), "{answer}");
    }
    let answer = subscription(&mut wire, "subscribe", "test://more").await;
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    subscription(&mut wire, "unsubscribe", "test://7").await;
    let answer = subscription(&mut wire, "subscribe", "test://more").await;
    assert!(answer["error"].is_null(), "{answer}");
}
