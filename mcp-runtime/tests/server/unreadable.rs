//! Members that can't be read are refused with their path, and never treated as absent.

use serde_json::{Value, json};

use crate::support::{Wire, initialize, request, stateless};

const KEY: &str = "io.modelcontextprotocol";

#[track_caller]
fn assert_refused(answer: &Value, path: &str) {
    assert_eq!(answer["error"]["code"], -32602, "{path}: {answer}");
    let message = answer["error"]["message"].as_str().unwrap();
    let begin = format!("Invalid params: {path}: ");
    assert!(message.starts_with(&begin), "{path}: {message}");
}

#[tokio::test]
async fn a_handshake_that_can_not_be_read_is_refused() {
    for (member, value, path) in [
        ("capabilities", json!(7), "params.capabilities"),
        ("clientInfo", json!("name"), "params.clientInfo"),
        ("_meta", json!(7), "params._meta"),
    ] {
        let mut wire = Wire::open().await;
        let mut message = initialize("2025-11-25");
        message["params"][member] = value;
        assert_refused(&wire.ask(message).await, path);
        wire.handshake("2025-11-25").await;
    }
}

#[tokio::test]
async fn members_that_only_describe_a_client_are_left_out() {
    let info = json!({"name": "a", "version": "1", "title": 7, "icons": {}});
    let capabilities = json!({"sampling": [], "experimental": [], "roots": {"listChanged": "yes"}});
    let mut wire = Wire::open().await;
    let mut message = initialize("2025-11-25");
    message["params"]["clientInfo"] = info.clone();
    message["params"]["capabilities"] = capabilities.clone();
    let answer = wire.ask(message).await;
    assert!(answer["result"].is_object(), "{answer}");

    let mut wire = Wire::open().await;
    let mut message = stateless(1, "tools/call", json!({"name": "echo"}));
    message["params"]["_meta"][format!("{KEY}/clientInfo")] = info;
    message["params"]["_meta"][format!("{KEY}/clientCapabilities")] = capabilities;
    let answer = wire.ask(message).await;
    assert!(answer["result"].is_object(), "{answer}");
}

#[tokio::test]
async fn terms_that_can_not_be_read_are_refused() {
    for (member, value) in [
        ("protocolVersion", json!(7)),
        ("clientCapabilities", json!(7)),
        ("clientInfo", json!("name")),
        ("logLevel", json!(7)),
        ("logLevel", json!("loud")),
    ] {
        let mut wire = Wire::open().await;
        let mut message = stateless(1, "tools/call", json!({"name": "echo"}));
        message["params"]["_meta"][format!("{KEY}/{member}")] = value.clone();
        let answer = wire.ask(message).await;
        let message = answer["error"]["message"].as_str().unwrap();
        let path = format!("Invalid params: params._meta.{KEY}/{member}");
        assert!(message.starts_with(&path), "{value}: {message}");
        assert_eq!(answer["error"]["code"], -32602);
        wire.lives_on().await;
    }
}

#[tokio::test]
async fn a_meta_that_can_not_be_read_is_refused_in_either_era() {
    let version = format!("{KEY}/protocolVersion");
    for meta in [json!(7), json!("x"), json!(true)] {
        for method in ["tools/list", "server/discover"] {
            let message = request(1, method, json!({"_meta": meta}));
            let answer = Wire::open().await.ask(message).await;
            assert_refused(&answer, "params._meta");
        }
        let mut wire = Wire::operating("2025-11-25").await;
        for (method, mut params) in [
            ("ping", json!({})),
            ("tools/list", json!({})),
            ("tools/call", json!({"name": "echo"})),
        ] {
            params["_meta"] = meta.clone();
            let answer = wire.ask(request(1, method, params)).await;
            assert_refused(&answer, "params._meta");
        }
    }
    let twice = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"_meta":{{"{version}":1,"{version}":2}}}}}}"#
    );
    let answer = Wire::open().await.ask_text(&twice).await;
    assert_refused(&answer, &format!("params._meta.{version}"));
}

#[tokio::test]
async fn null_counts_as_absent() {
    let mut wire = Wire::operating("2025-11-25").await;
    for (method, params) in [
        ("tools/list", json!({"_meta": null, "cursor": null})),
        ("tools/call", json!({"name": "echo", "arguments": null})),
        (
            "tools/call",
            json!({"name": "echo", "_meta": {"progressToken": null}}),
        ),
    ] {
        let answer = wire.ask(request(1, method, params)).await;
        assert!(answer["result"].is_object(), "{answer}");
    }
}

#[tokio::test]
async fn duplicate_members_and_names_that_are_not_text_are_refused() {
    let mut wire = Wire::operating("2025-11-25").await;
    for (params, path) in [
        (r#"{"cursor":"a","cursor":null}"#, "params.cursor"),
        (r#"{"cursor":7}"#, "params.cursor"),
        (r#"{"\ud800":1}"#, "params"),
        (
            r#"{"_meta":{"progressToken":1.5}}"#,
            "params._meta.progressToken",
        ),
    ] {
        let message =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{params}}}"#);
        assert_refused(&wire.ask_text(&message).await, path);
    }
}
