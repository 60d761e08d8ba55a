//! JSON-RPC batches, which only exist in revision 2025-03-26.

use serde_json::{Value, json};

use super::Transport;
use crate::support::{WireOver, call, initialize};

type Wire = WireOver<Transport>;

#[tokio::test]
async fn each_member_is_served_and_the_answers_come_as_one_array() {
    let mut wire = Wire::operating("2025-03-26").await;
    let answers = wire
        .ask(json!([
            call(1, "soon", json!({})),
            {"jsonrpc": "2.0", "method": "notifications/unheard"},
            call(2, "echo", json!({})),
            call(3, "burn", json!({})),
            7,
        ]))
        .await;
    let ids: Vec<_> = answers
        .as_array()
        .unwrap()
        .iter()
        .map(|a| &a["id"])
        .collect();
    assert_eq!(
        ids,
        [&json!(2), &json!(3), &Value::Null, &json!(1)],
        "{answers}"
    );
    assert_eq!(answers[1]["error"]["code"], -32602);
    assert_eq!(answers[2]["error"]["code"], -32600);
    wire.lives_on().await;
}

#[tokio::test]
async fn a_batch_of_notifications_is_not_answered() {
    let mut wire = Wire::operating("2025-03-26").await;
    wire.send(json!([{"jsonrpc": "2.0", "method": "notifications/unheard"}]))
        .await;
    wire.lives_on().await;
}

#[tokio::test]
async fn a_cancelled_member_is_left_out() {
    let mut wire = Wire::operating("2025-03-26").await;
    wire.send(json!([
        call(1, "never", json!({})),
        call(2, "echo", json!({}))
    ]))
    .await;
    let answers = wire
        .ask(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}))
        .await;
    assert_eq!(answers.as_array().unwrap().len(), 1, "{answers}");
    assert_eq!(answers[0]["id"], 2);
}

#[tokio::test]
async fn a_handshake_can_not_be_part_of_a_batch() {
    let mut wire = Wire::operating("2025-03-26").await;
    let answers = wire.ask(json!([initialize("2025-03-26")])).await;
    assert_eq!(answers[0]["error"]["code"], -32600, "{answers}");
    wire.lives_on().await;
}

#[tokio::test]
async fn other_revisions_refuse_batches_by_name() {
    for revision in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        let mut wire = Wire::operating(revision).await;
        let answer = wire.ask(json!([call(1, "echo", json!({}))])).await;
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(revision), "{answer}");
        wire.lives_on().await;
    }
}

#[tokio::test]
async fn an_empty_batch_is_refused() {
    let mut wire = Wire::operating("2025-03-26").await;
    assert_eq!(wire.ask(json!([])).await["error"]["code"], -32600);
    wire.lives_on().await;
}
