//! Many subscribers of one server, and how soon they are notified.

use mcp_runtime::Change;
use serde_json::json;

use crate::support::Wire;
use crate::support::listening::{about, notification, server, subscribed, updated};

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
    assert!(begun.elapsed().is_zero());
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
