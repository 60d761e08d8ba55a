//! Bytes that are not a valid request. Each gets a clear answer, and the connection stays usable.

use serde_json::{Value, json};

use super::Transport;
use crate::support::over::Over as _;
use crate::support::{self, WireOver, call, stateless};

type Wire = WireOver<Transport>;

async fn both_eras() -> [Wire; 2] {
    let mut stateless_wire = Wire::open().await;
    stateless_wire.lives_on().await;
    [Wire::operating("2025-11-25").await, stateless_wire]
}

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_default()
}

#[tokio::test]
async fn what_is_not_json_is_a_parse_error() {
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"a":{}1{}}}}}"#,
        "[".repeat(200),
        "]".repeat(200)
    );
    for bytes in [
        &b"rubbish"[..],
        b"{\"id\":1",
        b"{\"id\":1,\"x\":\"\xff\"}",
        deep.as_bytes(),
    ] {
        if !Transport::TAKES_BYTES && std::str::from_utf8(bytes).is_err() {
            continue;
        }
        let [mut handshake, mut stateless] = both_eras().await;
        handshake.send_bytes(bytes).await;
        let answer = handshake.answer().await;
        assert_eq!(code(&answer), -32700, "{answer}");
        assert_eq!(answer.get("id"), Some(&Value::Null), "{answer}");
        handshake.lives_on().await;

        stateless.send_bytes(bytes).await;
        let answer = stateless.answer().await;
        assert_eq!(code(&answer), -32700, "{answer}");
        assert_eq!(answer.get("id"), None, "{answer}");
        stateless.lives_on().await;
    }
}

#[tokio::test]
async fn json_that_is_not_a_request_is_refused_with_its_id() {
    let faults = [
        (r#"{"id":7,"method":"ping"}"#, json!(7), "jsonrpc"),
        (
            r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#,
            json!(7),
            "jsonrpc",
        ),
        (
            r#"{"jsonrpc":"2.0","id":"a","method":"ping","params":[]}"#,
            json!("a"),
            "params",
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            Value::Null,
            "id",
        ),
        (
            r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#,
            Value::Null,
            "id",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            Value::Null,
            "id",
        ),
        ("7", Value::Null, "object"),
    ];
    for (line, id, word) in faults {
        let mut wire = Wire::operating("2025-06-18").await;
        let answer = wire.ask_text(line).await;
        assert_eq!(code(&answer), -32600, "{line}: {answer}");
        assert_eq!(answer["id"], id, "{line}: {answer}");
        assert!(
            answer["error"]["message"].as_str().unwrap().contains(word),
            "{answer}"
        );
        wire.lives_on().await;
    }
}

#[tokio::test]
async fn a_message_over_the_limit_is_skipped_and_named() {
    use mcp_runtime::transport::memory;

    let (ours, theirs) = memory::pair();
    let serving = support::server()
        .serve(theirs.max_frame_bytes(10_000))
        .signals(false);
    let mut wire = Wire::with(ours, tokio::spawn(serving.into_future())).await;
    let answer = wire
        .ask(call(31, "echo", json!({"text": "x".repeat(100_000)})))
        .await;
    assert_eq!(code(&answer), -32600, "{answer}");
    assert_eq!(answer["id"], 31, "{answer}");
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("10000"),
        "{answer}"
    );
    wire.lives_on().await;
}

#[tokio::test]
async fn an_id_in_flight_can_not_be_used_again() {
    if !Transport::KEEPS_ORDER {
        return;
    }
    let mut wire = Wire::operating("2025-06-18").await;
    wire.send(call(1, "never", json!({}))).await;
    let answer = wire.ask(call(1, "echo", json!({}))).await;
    assert_eq!(
        (code(&answer), &answer["id"]),
        (-32600, &json!(1)),
        "{answer}"
    );
    wire.send(
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
    )
    .await;
    let answer = wire.ask(call(1, "echo", json!({}))).await;
    assert!(answer["result"].is_object(), "{answer}");
}

#[tokio::test]
async fn the_second_of_two_requests_with_one_id_is_refused() {
    if !Transport::KEEPS_ORDER {
        return;
    }
    let mut wire = Wire::operating("2025-06-18").await;
    wire.send_text(&format!(
        "{}\n{}",
        call(1, "never", json!({"first": true})),
        call(1, "echo", json!({"second": true}))
    ))
    .await;
    let refused = wire.answer().await;
    assert_eq!(code(&refused), -32600, "{refused}");
    // The first call is still running until it is cancelled.
    let again = wire.ask(call(1, "echo", json!({"again": true}))).await;
    assert_eq!(code(&again), -32600, "{again}");
    let cancelled = json!({"requestId": 1});
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled});
    wire.send(cancelled).await;
    let last = wire.ask(call(1, "echo", json!({"last": true}))).await;
    let text = last["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("last"), "{last}");
}

#[tokio::test]
async fn unknown_methods_are_named() {
    for mut wire in both_eras().await {
        let answer = wire.ask(stateless(1, "tools/burn", json!({}))).await;
        assert_eq!(code(&answer), -32601, "{answer}");
        assert!(
            answer["error"]["message"]
                .as_str()
                .unwrap()
                .contains("tools/burn")
        );
        wire.lives_on().await;
    }
    let mut wire = Wire::operating("2024-11-05").await;
    let answer = wire.ask(support::request(1, "tools/burn", json!({}))).await;
    assert_eq!(code(&answer), -32601, "{answer}");
}

#[tokio::test]
async fn faults_in_params_are_named_by_their_path() {
    let mut wire = Wire::operating("2025-06-18").await;
    for (params, path) in [
        (json!({}), "params.name: missing"),
        (json!({"name": 7}), "params.name"),
        (json!({"name": "echo", "_meta": 1}), "params._meta"),
    ] {
        let answer = wire.ask(support::request(1, "tools/call", params)).await;
        assert_eq!(code(&answer), -32602, "{answer}");
        assert!(
            answer["error"]["message"].as_str().unwrap().contains(path),
            "{answer}"
        );
    }
    let answer = wire
        .ask_text(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#)
        .await;
    assert_eq!(code(&answer), -32602, "{answer}");
    wire.lives_on().await;
}

#[tokio::test]
async fn what_nobody_knows_or_waits_for_is_ignored() {
    for mut wire in both_eras().await {
        wire.send(json!({"jsonrpc": "2.0", "method": "notifications/unheard"}))
            .await;
        wire.send(json!({"jsonrpc": "2.0", "id": 77, "result": {}}))
            .await;
        wire.send(json!({"jsonrpc": "2.0", "id": 78, "error": {"code": 1, "message": "x"}}))
            .await;
        wire.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}})).await;
        wire.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": 5}))
            .await;
        let answer = wire.answer().await;
        assert_eq!(
            code(&answer),
            -32600,
            "malformed params are answered with an error: {answer}"
        );
        wire.lives_on().await;
    }
}

#[tokio::test]
async fn blank_lines_and_carriage_returns_are_tolerated() {
    let mut wire = Wire::open().await;
    wire.send_text("\n  \r\n").await;
    wire.send_text(&format!("{}\r", stateless(3, "tools/list", json!({}))))
        .await;
    assert_eq!(wire.answer().await["id"], 3);
}

#[tokio::test]
async fn a_byte_order_mark_is_skipped_at_the_beginning() {
    let first = stateless(3, "tools/list", json!({}));
    let hello = support::initialize("2025-06-18");
    for (message, member) in [(first, "tools"), (hello, "serverInfo")] {
        let mut wire = Wire::open().await;
        wire.send_text(&format!("\u{feff}{message}")).await;
        let answer = wire.answer().await;
        assert!(!answer["result"][member].is_null(), "{answer}");
        wire.lives_on().await;
    }
}

#[tokio::test]
async fn a_last_line_without_a_line_break_is_served() {
    use mcp_runtime::transport::ByteStream;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    let (ours, theirs) = tokio::io::duplex(1024 * 1024);
    let (reader, writer) = tokio::io::split(theirs);
    let serving = support::server()
        .serve(ByteStream::new(reader, writer))
        .signals(false);
    let serving = tokio::spawn(serving.into_future());
    let (mut reader, mut writer) = tokio::io::split(ours);
    let line = stateless(3, "tools/call", json!({"name": "soon"})).to_string();
    writer.write_all(line.as_bytes()).await.unwrap();
    writer.shutdown().await.unwrap();
    let mut answer = String::new();
    reader.read_to_string(&mut answer).await.unwrap();
    assert!(
        answer.starts_with(r#"{"jsonrpc":"2.0","id":3,"result""#),
        "{answer}"
    );
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn methods_of_another_revision_are_refused_by_name_of_the_revision() {
    let mut wire = Wire::operating("2025-06-18").await;
    let answer = wire.ask(support::request(1, "tasks/list", json!({}))).await;
    assert_eq!(code(&answer), -32601, "{answer}");
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("2025-06-18"),
        "{answer}"
    );
    let answer = wire.ask(stateless(2, "ping", json!({}))).await;
    assert_eq!(code(&answer), -32601, "{answer}");
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("2026-07-28"),
        "{answer}"
    );
}

#[tokio::test]
async fn methods_without_their_capability_are_refused_by_its_name() {
    let mut wire = Wire::operating("2025-06-18").await;
    let answer = wire
        .ask(support::request(1, "prompts/list", json!({})))
        .await;
    assert_eq!(code(&answer), -32601, "{answer}");
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("`prompts`"),
        "{answer}"
    );
}
