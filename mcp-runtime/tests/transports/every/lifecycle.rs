//! From the first message to the last, in both eras.

use mcp_runtime::{Era, Revision};
use serde_json::{Value, json};

use super::Transport;
use crate::support::over::Over as _;
use crate::support::{WireOver, call, initialize, request, stateless};

type Wire = WireOver<Transport>;

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_default()
}

#[tokio::test]
async fn every_handshake_revision_is_agreed_on_and_served() {
    for revision in Revision::ALL
        .into_iter()
        .filter(|r| r.era() == Era::Handshake)
    {
        let mut wire = Wire::open().await;
        let answer = wire.handshake(revision.as_str()).await;
        let result = &answer["result"];
        assert_eq!(result["protocolVersion"], revision.as_str());
        assert_eq!(
            result["serverInfo"],
            json!({"name": "fixture", "version": "1.2.3"})
        );
        assert_eq!(result["instructions"], "Only for tests.");
        assert_eq!(result["capabilities"], json!({"tools": {}}));
        assert_eq!(result.get("resultType"), None);

        let list = wire.ask(request(1, "tools/list", json!({}))).await;
        assert_eq!(list["result"]["tools"][0]["name"], "echo");
        assert_eq!(list["result"].get("ttlMs"), None, "{revision}");
        let answer = wire.ask(call(2, "echo", json!({"a": 1}))).await;
        assert_eq!(answer["result"]["content"][0]["text"], r#"{"a":1}"#);
        assert_eq!(answer["result"].get("_meta"), None, "{revision}");
        let pong = wire
            .ask(json!({"jsonrpc": "2.0", "id": 3, "method": "ping"}))
            .await;
        assert_eq!(pong["result"], json!({}));
        wire.close().await.unwrap();
    }
}

#[tokio::test]
async fn a_stateless_client_needs_no_handshake() {
    let mut wire = Wire::open().await;
    let discovered = wire.ask(stateless("d", "server/discover", json!({}))).await;
    let result = &discovered["result"];
    assert_eq!(result["supportedVersions"][0], "2026-07-28");
    assert_eq!(result["capabilities"], json!({"tools": {}}));
    assert_eq!(result["instructions"], "Only for tests.");
    assert_eq!(result["resultType"], "complete");
    assert!(
        result["ttlMs"].is_u64() && result["cacheScope"].is_string(),
        "{result}"
    );
    let name = "io.modelcontextprotocol/serverInfo";
    assert_eq!(result["_meta"][name]["name"], "fixture");

    let list = wire.ask(stateless(1, "tools/list", json!({}))).await;
    assert_eq!(list["result"]["resultType"], "complete");
    assert_eq!(list["result"]["_meta"][name]["name"], "fixture");
    assert!(list["result"]["ttlMs"].is_u64(), "{list}");
    let answer = wire
        .ask(stateless(2, "tools/call", json!({"name": "soon"})))
        .await;
    assert_eq!(answer["result"]["content"][0]["text"], "{}");
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(answer["result"]["_meta"][name]["name"], "fixture");
    wire.close().await.unwrap();
}

#[tokio::test]
async fn both_eras_are_served_on_one_connection() {
    let mut wire = Wire::open().await;
    wire.lives_on().await;
    wire.handshake("2025-06-18").await;
    let old = wire.ask(call(1, "echo", json!({}))).await;
    assert_eq!(old["result"].get("resultType"), None);
    let new = wire
        .ask(stateless(2, "tools/call", json!({"name": "echo"})))
        .await;
    assert_eq!(new["result"]["resultType"], "complete");
}

#[tokio::test]
async fn before_the_handshake_only_ping_is_served() {
    let mut wire = Wire::open().await;
    let answer = wire.ask(call(1, "echo", json!({}))).await;
    assert_eq!(code(&answer), -32600, "{answer}");
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("ot initialized")
    );
    let pong = wire
        .ask(json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}))
        .await;
    assert_eq!(pong["result"], json!({}));
    wire.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        .await;
    wire.send(json!({"jsonrpc": "2.0", "id": 5, "result": {}}))
        .await;
    wire.handshake("2025-06-18").await;
    wire.lives_on().await;
}

#[tokio::test]
async fn between_answer_and_notification_only_ping_is_served() {
    if !Transport::KEEPS_ORDER {
        return;
    }
    let mut wire = Wire::open().await;
    wire.ask(initialize("2025-06-18")).await;
    let answer = wire.ask(call(1, "echo", json!({}))).await;
    assert_eq!(code(&answer), -32600, "{answer}");
    let pong = wire
        .ask(json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}))
        .await;
    assert_eq!(pong["result"], json!({}));
    wire.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        .await;
    assert!(wire.ask(call(3, "echo", json!({}))).await["result"].is_object());
}

#[tokio::test]
async fn a_second_handshake_is_refused_and_the_session_goes_on() {
    let mut wire = Wire::operating("2025-03-26").await;
    let answer = wire.ask(initialize("2025-06-18")).await;
    assert_eq!(code(&answer), -32600, "{answer}");
    assert!(wire.ask(call(1, "echo", json!({}))).await["result"].is_object());
}

#[tokio::test]
async fn a_handshake_without_its_fields_is_refused_with_their_path() {
    let mut wire = Wire::open().await;
    for (params, path) in [
        (json!({}), "params."),
        (json!({"protocolVersion": 1}), "params.protocolVersion"),
        (
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"version": "1"}}),
            "params.clientInfo.name: missing",
        ),
    ] {
        let answer = wire.ask(request(0, "initialize", params)).await;
        assert_eq!(code(&answer), -32602, "{answer}");
        assert!(
            answer["error"]["message"].as_str().unwrap().contains(path),
            "{answer}"
        );
    }
    wire.handshake("2025-06-18").await;
}

#[tokio::test]
async fn an_unknown_date_gets_the_newest_handshake_revision() {
    let mut wire = Wire::open().await;
    let answer = wire.handshake("2099-12-31").await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    wire.lives_on().await;
}

#[tokio::test]
async fn a_version_that_is_not_a_date_is_refused_with_the_supported_ones() {
    let mut wire = Wire::open().await;
    let answer = wire.ask(initialize("1.0.0")).await;
    assert_eq!(code(&answer), -32602, "{answer}");
    assert_eq!(answer["error"]["message"], "Unsupported protocol version");
    assert_eq!(answer["error"]["data"]["requested"], "1.0.0");
    assert_eq!(answer["error"]["data"]["supported"][0], "2026-07-28");
    wire.handshake("2025-06-18").await;
}

#[tokio::test]
async fn a_server_can_be_held_to_some_revisions() {
    let mut wire = Wire::named("old").await;
    let refused = wire.ask(stateless(1, "tools/list", json!({}))).await;
    assert_eq!(code(&refused), -32022, "{refused}");
    assert_eq!(
        refused["error"]["data"]["supported"],
        json!(["2025-03-26", "2024-11-05"])
    );
    let answer = wire.handshake("2025-11-25").await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-03-26");
}

#[tokio::test]
async fn stateless_terms_that_are_missing_are_named() {
    let version = "io.modelcontextprotocol/protocolVersion";
    let capabilities = "io.modelcontextprotocol/clientCapabilities";
    for (meta, missing) in [
        (json!({version: "2026-07-28"}), capabilities),
        (json!({capabilities: {}}), version),
        (json!({version: 7, capabilities: {}}), version),
        (
            json!({version: "2026-07-28", capabilities: 7}),
            capabilities,
        ),
    ] {
        let mut wire = Wire::open().await;
        let answer = wire
            .ask(request(1, "tools/list", json!({"_meta": meta})))
            .await;
        assert_eq!(code(&answer), -32602, "{answer}");
        assert!(
            answer["error"]["message"]
                .as_str()
                .unwrap()
                .contains(missing),
            "{answer}"
        );
        wire.lives_on().await;
    }
    let mut wire = Wire::open().await;
    let answer = wire.ask(request(1, "server/discover", json!({}))).await;
    assert_eq!(code(&answer), -32602, "{answer}");
}

#[tokio::test]
async fn a_stateless_version_that_is_not_served_is_refused_with_those_that_are() {
    let mut wire = Wire::open().await;
    let mut message = stateless(1, "server/discover", json!({}));
    message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("v999.0.0");
    let answer = wire.ask(message).await;
    assert_eq!(code(&answer), -32022, "{answer}");
    assert_eq!(answer["error"]["data"]["requested"], "v999.0.0");
    let discovered = wire.ask(stateless(2, "server/discover", json!({}))).await;
    assert_eq!(
        answer["error"]["data"]["supported"],
        discovered["result"]["supportedVersions"]
    );
}

#[tokio::test]
async fn calls_in_flight_at_the_end_of_input_are_answered() {
    if !Transport::CLOSES_BY_HALVES {
        return;
    }
    let mut wire = Wire::open().await;
    for id in 0..3 {
        wire.send(stateless(id, "tools/call", json!({"name": "soon"})))
            .await;
    }
    let rest = wire.drain().await;
    let mut ids: Vec<_> = rest.iter().map(|answer| answer["id"].as_i64()).collect();
    ids.sort_unstable();
    assert_eq!(ids, [Some(0), Some(1), Some(2)], "{rest:?}");
}
