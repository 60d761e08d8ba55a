//! Malformed answers to a tool's questions. The tool gets the error, and the answer itself is never
//! answered.

use serde_json::{Map, json};

use super::party::{Party, able};

#[tokio::test(start_paused = true)]
async fn a_malformed_answer_ends_the_question_and_is_not_answered() {
    for (answer, word) in [
        (
            json!({"result": {}, "error": {"code": 1, "message": "no"}}),
            "both",
        ),
        (json!({"error": null}), "`error`"),
        (json!({"error": "no"}), "`error`"),
        (json!({"error": {"code": 1}}), "message"),
        (json!({"jsonrpc": null, "result": {}}), "jsonrpc"),
        (
            json!({"id": "ID", "result": {"action": "cancel"}}),
            "string",
        ),
    ] {
        let mut party = Party::new("2025-11-25", able()).await;
        let params = json!({"name": "twice", "arguments": {}});
        let question = party.send("tools/call", &params, Map::new()).await;
        assert_eq!(question["method"], "elicitation/create", "{question}");
        let mut message = json!({"jsonrpc": "2.0", "id": question["id"]});
        let members = answer.as_object().unwrap().clone();
        message.as_object_mut().unwrap().extend(members);
        if message["id"] == "ID" {
            message["id"] = question["id"].to_string().into();
        }
        // The next message answers the call, not the malformed answer.
        let response = party.wire.ask(message).await;
        assert_eq!(response["id"], 1, "{answer}: {response}");
        let text = response.to_string();
        assert!(
            text.contains("malformed") && text.contains(word),
            "{answer}: {text}"
        );
        party.wire.lives_on().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_array_of_answers_is_not_answered() {
    let mut party = Party::new("2025-11-25", able()).await;
    let params = json!({"name": "twice", "arguments": {}});
    let question = party.send("tools/call", &params, Map::new()).await;
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "cancel"}});
    let response = party.wire.ask(json!([answer])).await;
    assert_eq!(response["id"], 1, "{response}");
    assert!(response.to_string().contains("batches"), "{response}");
}
