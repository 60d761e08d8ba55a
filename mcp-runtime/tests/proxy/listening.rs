//! Subscriptions and list changes between the eras.

use std::time::Duration;

use mcp_runtime::Era;
use serde_json::{Value, json};

use crate::behind::{Behind, HANDSHAKE, asked, bridged, introduced, proxy, session};
use crate::support::scripted::Scripted;
use crate::support::{Wire, request};

const ID: &str = "io.modelcontextprotocol/subscriptionId";

/// Completes the handshake of a server that offers everything.
async fn operating(behind: &mut Behind) -> Scripted {
    let mut server = behind.next().await;
    let (id, _) = server.expect("initialize").await;
    let changing = json!({"listChanged": true});
    let capabilities = json!({
        "tools": changing, "prompts": {}, "resources": {"subscribe": true, "listChanged": true},
    });
    let result = json!({
        "protocolVersion": HANDSHAKE,
        "capabilities": capabilities,
        "serverInfo": {"name": "s", "version": "1"},
    });
    server.answer(&id, result).await;
    server.expect("notifications/initialized").await;
    server
}

#[tokio::test(start_paused = true)]
async fn a_stateless_client_listens_to_a_server_with_a_handshake() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let mut wire = Wire::to(&proxy).await;
    let filter = json!({
        "toolsListChanged": true, "promptsListChanged": true, "resourceSubscriptions": ["a:b"],
    });
    let listen = json!({"notifications": filter});
    wire.send(asked(7, "subscriptions/listen", listen, json!({})))
        .await;
    let mut server = operating(&mut behind).await;
    let (id, params) = server.expect("resources/subscribe").await;
    assert_eq!(params["uri"], "a:b");
    server.answer(&id, json!({})).await;
    let acknowledged = wire.answer().await;
    assert_eq!(
        acknowledged["method"],
        "notifications/subscriptions/acknowledged"
    );
    let accepted = json!({"toolsListChanged": true, "resourceSubscriptions": ["a:b"]});
    assert_eq!(
        acknowledged["params"],
        json!({"notifications": accepted, "_meta": {ID: 7}})
    );
    for (method, params) in [
        ("notifications/tools/list_changed", json!({})),
        ("notifications/resources/updated", json!({"uri": "a:b"})),
    ] {
        server.notify(method, params.clone()).await;
        let told = wire.answer().await;
        let mut expected = params;
        expected["_meta"] = json!({ID: 7});
        assert_eq!(
            (&told["method"], &told["params"]),
            (&json!(method), &expected)
        );
    }
    // These are not part of the subscription.
    server
        .notify("notifications/resources/list_changed", json!({}))
        .await;
    server
        .notify("notifications/resources/updated", json!({"uri": "c:d"}))
        .await;
    let cancelled = json!({"requestId": 7});
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled});
    let silence = tokio::time::timeout(Duration::from_secs(5), wire.next());
    silence.await.unwrap_err();
    wire.send(cancelled).await;
    let (_, params) = server.expect("resources/unsubscribe").await;
    assert_eq!(params["uri"], "a:b");
}

#[tokio::test(start_paused = true)]
async fn subscriptions_of_clients_that_can_be_asked_share_a_connection() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let listen = |id| {
        let params = json!({"notifications": {"toolsListChanged": true}});
        asked(
            id,
            "subscriptions/listen",
            params,
            json!({"elicitation": {}}),
        )
    };
    let mut first = Wire::to(&proxy).await;
    first.send(listen(1)).await;
    let mut server = operating(&mut behind).await;
    first.answer().await;
    let mut second = Wire::to(&proxy).await;
    second.send(listen(2)).await;
    let acknowledged = tokio::time::timeout(Duration::from_secs(5), second.answer());
    acknowledged.await.unwrap();
    let changed = "notifications/tools/list_changed";
    server.notify(changed, json!({})).await;
    assert_eq!(first.answer().await["method"], changed);
    assert_eq!(second.answer().await["method"], changed);
}

/// Answers `subscriptions/listen` by accepting all of it, and returns the id of the subscription.
async fn accept(server: &mut Scripted) -> (Value, Value) {
    let (id, params) = server.expect("subscriptions/listen").await;
    let accepted = params["notifications"].clone();
    let params = json!({"notifications": accepted, "_meta": {ID: id}});
    server
        .notify("notifications/subscriptions/acknowledged", params)
        .await;
    (id, accepted)
}

#[tokio::test(start_paused = true)]
async fn a_client_with_a_handshake_hears_what_a_stateless_server_announces() {
    let (proxy, mut behind) = proxy(Era::Stateless);
    let mut wire = Wire::to(&proxy).await;
    wire.send(introduced("c", json!({}))).await;
    let mut server = behind.next().await;
    let (id, _) = server.expect("server/discover").await;
    let capabilities = json!({"tools": {"listChanged": true}, "resources": {"subscribe": true}});
    let found = json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"],
        "capabilities": capabilities, "ttlMs": 0, "cacheScope": "private",
    });
    server.answer(&id, found).await;
    wire.answer().await;
    wire.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        .await;
    let (lists, accepted) = accept(&mut server).await;
    assert_eq!(accepted["toolsListChanged"], true);
    let method = "notifications/tools/list_changed";
    server.notify(method, json!({"_meta": {ID: lists}})).await;
    let told = wire.answer().await;
    assert_eq!(
        (&told["method"], &told["params"]),
        (&json!(method), &Value::Null)
    );

    let subscribe = request(1, "resources/subscribe", json!({"uri": "a:b"}));
    wire.send(subscribe).await;
    let (resource, accepted) = accept(&mut server).await;
    assert_eq!(accepted, json!({"resourceSubscriptions": ["a:b"]}));
    assert_eq!(wire.answer().await["result"], json!({}));
    let method = "notifications/resources/updated";
    server
        .notify(method, json!({"uri": "a:b", "_meta": {ID: resource}}))
        .await;
    let told = wire.answer().await;
    assert_eq!(
        (&told["method"], &told["params"]),
        (&json!(method), &json!({"uri": "a:b"}))
    );
    let unsubscribe = request(2, "resources/unsubscribe", json!({"uri": "a:b"}));
    assert_eq!(wire.ask(unsubscribe).await["result"], json!({}));
    let (_, params) = server.expect("notifications/cancelled").await;
    assert_eq!(params["requestId"], resource);
}

#[tokio::test(start_paused = true)]
async fn changed_lists_are_announced_after_a_stateless_server_was_replaced() {
    let (proxy, mut behind) = proxy(Era::Stateless);
    let mut wire = Wire::to(&proxy).await;
    wire.send(introduced("c", json!({}))).await;
    let discover = |capabilities: Value| {
        json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"],
            "capabilities": capabilities, "ttlMs": 0, "cacheScope": "private",
        })
    };
    let capabilities = json!({"tools": {"listChanged": true}});
    let mut server = behind.next().await;
    let (id, _) = server.expect("server/discover").await;
    server.answer(&id, discover(capabilities.clone())).await;
    wire.answer().await;
    wire.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        .await;
    accept(&mut server).await;
    drop(server);
    let mut server = behind.next().await;
    let (id, _) = server.expect("server/discover").await;
    server.answer(&id, discover(capabilities)).await;
    accept(&mut server).await;
    assert_eq!(
        wire.answer().await["method"],
        "notifications/tools/list_changed"
    );
}

#[tokio::test(start_paused = true)]
async fn a_client_has_at_most_1000_subscriptions_to_resources() {
    for era in [Era::Handshake, Era::Stateless] {
        let (proxy, mut behind) = proxy(era);
        let (mut wire, mut server) = match era {
            Era::Handshake => session(&proxy, &mut behind).await,
            _ => bridged(&proxy, &mut behind).await,
        };
        let serving = async {
            while let Some(message) = server.next().await {
                if !message["id"].is_null() {
                    server.answer(&message["id"], json!({})).await;
                }
            }
        };
        let asking = async {
            let mut ask = async |method, uri| {
                let params = json!({"uri": format!("a:{uri}")});
                wire.ask(request(uri, method, params)).await
            };
            for uri in 0..1000 {
                let answer = ask("resources/subscribe", uri).await;
                assert_eq!(answer["result"], json!({}), "{answer}");
            }
            let refused = ask("resources/subscribe", 1000).await;
            let text = refused["error"]["message"].as_str().unwrap();
            assert!(text.contains("a client may have 1000"), "{text}");
            ask("resources/unsubscribe", 0).await;
            let answer = ask("resources/subscribe", 1000).await;
            assert_eq!(answer["result"], json!({}), "{answer}");
        };
        tokio::select! {
            () = asking => {}
            () = serving => panic!("the connection has ended"),
        }
    }
}
