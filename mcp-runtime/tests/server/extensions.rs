//! Extensions and custom methods of a server.

use mcp_runtime::serde::{Deserialize, Serialize};
use mcp_runtime::{ProtocolError, Server};
use serde_json::{Value, json};

use crate::support::{Wire, builder, request, stateless};

#[derive(Deserialize)]
struct Asked {
    zone: String,
}

#[derive(Serialize)]
struct Time {
    zone: String,
    revision: String,
}

fn server() -> Server {
    let mut server = builder();
    let settings = json!({"precision": 1});
    server.extension("com.example/clock", settings.as_object().unwrap().clone());
    server.method("com.example/now", async |asked: Asked, cx| {
        tokio::task::yield_now().await;
        match asked.zone.as_str() {
            "nowhere" => Err(ProtocolError::new(-32050, "no such zone")),
            _ => Ok(Time {
                zone: asked.zone,
                revision: cx.revision().to_string(),
            }),
        }
    });
    server.method("com.example/reset", async |_: Value, _| Ok::<_, String>(()));
    server.method("com.example/list", async |_: Value, _| Ok::<_, String>([1]));
    server.build()
}

async fn ask(method: &str, params: Value) -> [Value; 2] {
    let server = server();
    let mut wire = Wire::to(&server).await;
    wire.handshake("2025-03-26").await;
    let handshake = wire.ask(request(1, method, params.clone())).await;
    let mut wire = Wire::to(&server).await;
    [handshake, wire.ask(stateless(1, method, params)).await]
}

#[tokio::test]
async fn extensions_are_declared_where_each_revision_looks_for_them() {
    let declared = json!({"com.example/clock": {"precision": 1}});
    let mut wire = Wire::to(&server()).await;
    let answer = wire.handshake("2025-11-25").await;
    let capabilities = &answer["result"]["capabilities"];
    assert_eq!(
        *capabilities,
        json!({"tools": {}, "experimental": declared})
    );
    let mut wire = Wire::to(&server()).await;
    let answer = wire.ask(stateless(1, "server/discover", json!({}))).await;
    let capabilities = &answer["result"]["capabilities"];
    assert_eq!(*capabilities, json!({"tools": {}, "extensions": declared}));
}

#[tokio::test]
async fn methods_of_extensions_are_served() {
    let [handshake, stateless] = ask("com.example/now", json!({"zone": "utc"})).await;
    let expected = json!({"zone": "utc", "revision": "2025-03-26"});
    assert_eq!(handshake["result"], expected);
    let result = &stateless["result"];
    assert_eq!(result["revision"], "2026-07-28");
    assert_eq!(result["resultType"], "complete");
    let named = &result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"];
    assert_eq!(*named, "fixture");
    let [handshake, _] = ask("com.example/reset", json!({})).await;
    assert_eq!(handshake["result"], json!({}));
}

#[tokio::test]
async fn faults_are_told_as_those_of_any_other_method() {
    for answer in ask("com.example/now", json!({})).await {
        assert_eq!(
            answer["error"],
            json!({"code": -32602, "message": "Invalid params: params.zone: missing"})
        );
    }
    for answer in ask("com.example/now", json!({"zone": "nowhere"})).await {
        assert_eq!(answer["error"]["code"], -32050);
    }
    for answer in ask("com.example/list", json!({})).await {
        assert_eq!(answer["error"]["code"], -32603, "no object");
    }
    for answer in ask("com.example/other", json!({})).await {
        assert_eq!(answer["error"]["code"], -32601);
    }
}

#[tokio::test]
async fn a_method_of_an_extension_needs_a_handshake_as_well() {
    let mut wire = Wire::to(&server()).await;
    let now = request(1, "com.example/now", json!({"zone": "utc"}));
    let answer = wire.ask(now).await;
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    wire.lives_on().await;
}

#[test]
#[should_panic(expected = "`tools/call` is a method of the protocol")]
fn methods_of_the_protocol_are_left_alone() {
    let mut server = Server::builder();
    server.method("tools/call", async |_: Value, _| Ok::<_, String>(()));
}
