//! What a call of a tool gets, whatever the tool does.

#![allow(clippy::unwrap_used)]

mod support;

use mcp_runtime::server::Reply;
use mcp_runtime::types::RawJson;
use serde_json::json;
use support::{Wire, call, server, stateless};

#[tokio::test]
async fn an_unknown_tool_is_an_invalid_parameter() {
    let mut wire = Wire::operating("2025-11-25").await;
    let answer = wire.ask(call(1, "burn", json!({}))).await;
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(answer["error"]["message"], "Unknown tool: burn");
}

#[tokio::test]
async fn a_protocol_error_travels_as_it_is() {
    let mut wire = Wire::operating("2025-11-25").await;
    let answer = wire.ask(call(1, "refuse", json!({}))).await;
    assert_eq!(
        answer["error"],
        json!({"code": -32050, "message": "no", "data": {"why": 1}})
    );
}

#[tokio::test]
async fn a_panic_is_an_error_without_details_and_the_connection_lives_on() {
    let mut wire = Wire::operating("2025-11-25").await;
    for tool in ["panic", "panic_later"] {
        let answer = wire.ask(call(1, tool, json!({}))).await;
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
        assert!(!answer.to_string().contains("secret"), "{answer}");
        wire.lives_on().await;
    }
}

#[tokio::test]
async fn calls_over_the_limit_are_refused_at_once() {
    use mcp_runtime::transport::memory;

    let (ours, theirs) = memory::pair();
    let serving = server().serve(theirs).without_signals().max_in_flight(2);
    let mut wire = Wire::with(ours, tokio::spawn(serving.into_future())).await;
    for id in 1..=3 {
        wire.send(stateless(id, "tools/call", json!({"name": "never"})))
            .await;
    }
    let answer = wire.answer().await;
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&json!(3), &json!(-32603)),
        "{answer}"
    );
    wire.lives_on().await;
}

#[tokio::test]
async fn answers_come_in_the_order_in_which_they_are_ready() {
    let mut wire = Wire::operating("2025-06-18").await;
    wire.send_text(&format!(
        "{}\n{}\n{}",
        call("slow", "never", json!({})),
        call("later", "soon", json!({})),
        call("now", "echo", json!({})),
    ))
    .await;
    assert_eq!(
        [
            wire.answer().await["id"].take(),
            wire.answer().await["id"].take()
        ],
        ["now", "later"]
    );
}

#[tokio::test]
async fn a_list_has_one_page() {
    let mut wire = Wire::operating("2025-06-18").await;
    let message = support::request(1, "tools/list", json!({"cursor": "2"}));
    let answer = wire.ask(message).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("params.cursor")
    );
}

#[tokio::test]
async fn raw_json_with_line_breaks_stays_on_one_line() {
    let mut builder = support::builder();
    builder.tool_route(support::tool("pretty", |_| {
        let pretty = RawJson::from_text("{\n \"a\":\r\n 1\n}").unwrap();
        Reply::Ready(Ok(
            support::text(String::new()).with_structured_content(pretty)
        ))
    }));
    let mut wire = Wire::to(&builder.build()).await;
    wire.handshake("2025-06-18").await;
    let answer = wire.ask(call(1, "pretty", json!({}))).await;
    assert_eq!(answer["result"]["structuredContent"], json!({"a": 1}));
}
