//! Subscriptions of clients in the stateless era.

use mcp_runtime::Change;
use mcp_runtime::types::SubscriptionFilter;
use mcp_runtime::{CallError, Client, Revision};
use serde_json::json;

use super::Transport;
use crate::support::listening::{about, listen, notification, server, subscribed, updated};
use crate::support::over::Over as _;
use crate::support::{WireOver, stateless};

type Wire = WireOver<Transport>;

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
async fn the_id_of_a_subscription_is_an_integer_however_it_is_spelled() {
    let server = server();
    let mut wire = Wire::to(&server).await;
    let filter = json!({"resourceSubscriptions": ["test://first"]});
    let acknowledged = wire.ask(listen(2.0, filter)).await;
    let id = &acknowledged["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    assert_eq!(id, 2, "{acknowledged}");
    server.notify_resource_updated("test://first");
    assert_eq!(wire.answer().await, updated(2, "test://first"));
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 2.0}});
    wire.send(cancel).await;
    wire.lives_on().await;
    server.notify_resource_updated("test://first");
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
    for _ in 0..3 {
        wire.lives_on().await;
    }
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

#[tokio::test]
async fn our_clients_hear_of_changes_in_either_era() {
    let server = server();
    for revision in [Revision::LATEST_HANDSHAKE, Revision::LATEST] {
        let (line, serving) = Transport::line(&server).await;
        let client = Client::builder("test", "1").revision(revision);
        let client = client.connect(line).await.unwrap();
        let filter = SubscriptionFilter::new()
            .with_tools_list_changed(true)
            .with_resource_subscriptions(["test://first", "test://fixed"]);
        let mut subscription = client.subscribe_to(filter).await.unwrap();
        let accepted = serde_json::to_value(subscription.accepted()).unwrap();
        let expected = json!({"toolsListChanged": true, "resourceSubscriptions": ["test://first"]});
        assert_eq!(accepted, expected, "{revision}");
        server.notify_resource_updated("test://second");
        server.notify_resource_updated("test://first");
        let told = subscription.next().await.unwrap().unwrap();
        let uri = "test://first".to_owned();
        assert_eq!(Change::by(&told), Some(Change::Resource(uri)));
        server.notify_changed(Change::Tools);
        let told = subscription.next().await.unwrap().unwrap();
        assert_eq!(Change::by(&told), Some(Change::Tools));
        client.close().await;
        let end = subscription.next().await;
        assert!(matches!(end, Err(CallError::Closed)), "{end:?}");
        serving.await.unwrap().unwrap();
    }
}
