//! Servers that require capabilities of their clients.

use mcp_runtime::types::ClientCapabilities;
use mcp_runtime::{Server, serde_json};
use serde_json::{Value, json};

use crate::support::{self, Wire, initialize, request, stateless};

fn server(required: Value) -> Server {
    let mut server = support::builder();
    let required: ClientCapabilities = serde_json::from_value(required).unwrap();
    server.requires(&required);
    server.build()
}

fn declaring(capabilities: &Value) -> Value {
    let mut message = initialize("2025-11-25");
    message["params"]["capabilities"] = capabilities.clone();
    message
}

fn stating(method: &str, capabilities: &Value) -> Value {
    let mut message = stateless(1, method, json!({}));
    message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities.clone();
    message
}

const NEEDED: &str = r#"{"sampling": {}, "elicitation": {"url": {}}}"#;

#[tokio::test]
async fn a_handshake_without_them_is_refused_and_can_be_tried_again() {
    let server = server(serde_json::from_str(NEEDED).unwrap());
    let mut wire = Wire::to(&server).await;
    for (declared, capability, all) in [
        (json!({}), "elicitation.url", "elicitation.url, sampling"),
        (json!({"elicitation": {"url": {}}}), "sampling", "sampling"),
        (
            json!({"elicitation": {}, "sampling": {}}),
            "elicitation.url",
            "elicitation.url",
        ),
    ] {
        let answer = wire.ask(declaring(&declared)).await;
        let error = &answer["error"];
        assert_eq!(error["code"], -32602);
        assert_eq!(error["message"], format!("Unsupported capability: {all}"));
        assert_eq!(error["data"]["capability"], capability, "{answer}");
        let reason = error["data"]["reason"].as_str().unwrap();
        assert!(reason.contains(capability), "{reason}");
        let answer = wire.ask(request(1, "tools/list", json!({}))).await;
        assert_eq!(answer["error"]["code"], -32600, "nothing was agreed on");
    }
    let enough = json!({"elicitation": {"url": {}, "form": {}}, "sampling": {}});
    let answer = wire.ask(declaring(&enough)).await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn each_stateless_request_is_held_to_them() {
    let server = server(serde_json::from_str(NEEDED).unwrap());
    let mut wire = Wire::to(&server).await;
    let enough = json!({"elicitation": {"url": {}}, "sampling": {}});
    for _ in 0..2 {
        let answer = wire
            .ask(stating("tools/list", &json!({"sampling": {}})))
            .await;
        assert_eq!(
            answer["error"],
            json!({
                "code": -32021,
                "message": "Missing required client capability: elicitation.url",
                "data": {"requiredCapabilities": {"elicitation": {"url": {}}}},
            })
        );
        let answer = wire.ask(stating("tools/list", &enough)).await;
        assert!(answer["result"]["tools"].is_array(), "{answer}");
    }
    let answer = wire.ask(stating("server/discover", &json!({}))).await;
    assert!(answer["result"]["capabilities"].is_object(), "{answer}");
}

#[tokio::test]
async fn a_server_that_demands_nothing_serves_all() {
    let mut wire = Wire::to(&support::server()).await;
    let answer = wire.ask(stating("tools/list", &json!({}))).await;
    assert!(answer["result"]["tools"].is_array(), "{answer}");
}
