//! Integers in unusual spellings: `1.0`, `1e2` and `-0` are integers in JSON Schema.

use serde_json::{Value, json};

use super::Transport;
use crate::support::{WireOver, call, request, stateless};

type Wire = WireOver<Transport>;

/// Replaces `"ID"` in the message with a number, spelled as in `number`.
fn spelled(message: &Value, number: &str) -> String {
    message.to_string().replace("\"ID\"", number)
}

#[tokio::test]
async fn an_integral_id_is_echoed_as_that_integer() {
    let mut handshake = Wire::operating("2025-11-25").await;
    let mut without = Wire::open().await;
    for (id, integer) in [
        ("7.0", 7),
        ("1e2", 100),
        ("1.5E+1", 15),
        ("-0", 0),
        ("-20e-1", -2),
        ("9223372036854775807.0", i64::MAX),
    ] {
        for (wire, message) in [
            (&mut handshake, request("ID", "tools/list", json!({}))),
            (&mut without, stateless("ID", "tools/list", json!({}))),
        ] {
            let answer = wire.ask_text(&spelled(&message, id)).await;
            assert_eq!(answer["id"], integer, "{id}: {answer}");
            assert!(answer["result"].is_object(), "{id}: {answer}");
        }
    }
    for id in ["9223372036854775808", "1e19", "1.25", "1e-1"] {
        let message = request("ID", "tools/list", json!({}));
        let answer = handshake.ask_text(&spelled(&message, id)).await;
        assert_eq!(answer["error"]["code"], -32600, "{id}: {answer}");
    }
}

#[tokio::test]
async fn ids_in_two_spellings_are_one_id() {
    let mut wire = Wire::operating("2025-06-18").await;
    wire.send(call(1, "never", json!({}))).await;
    let again = spelled(&call("ID", "echo", json!({})), "10e-1");
    let answer = wire.ask_text(&again).await;
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    assert_eq!(answer["id"], 1, "{answer}");
    let cancelled = json!({
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": "ID"},
    });
    wire.send_text(&spelled(&cancelled, "1.0")).await;
    let answer = wire.ask_text(&again).await;
    assert!(answer["result"].is_object(), "{answer}");
}

#[tokio::test]
async fn a_progress_token_is_a_string_or_an_integer() {
    for stateless_era in [false, true] {
        let mut wire = if stateless_era {
            Wire::open().await
        } else {
            Wire::operating("2025-11-25").await
        };
        let message = |token: &str| {
            let params = json!({"name": "echo"});
            let mut message = if stateless_era {
                stateless(1, "tools/call", params)
            } else {
                request(1, "tools/call", params)
            };
            message["params"]["_meta"]["progressToken"] = json!("ID");
            spelled(&message, token)
        };
        for token in ["7", "-7", "7.0", "1e2", "\"seven\"", "\"\\u0037\"", "null"] {
            let answer = wire.ask_text(&message(token)).await;
            assert!(answer["result"].is_object(), "{token}: {answer}");
        }
        for token in ["7.5", "1e19", "true", "{}", "[7]"] {
            let answer = wire.ask_text(&message(token)).await;
            assert_eq!(answer["error"]["code"], -32602, "{token}: {answer}");
            let text = answer["error"]["message"].as_str().unwrap();
            assert!(text.contains("params._meta.progressToken"), "{text}");
        }
        wire.lives_on().await;
    }
}
