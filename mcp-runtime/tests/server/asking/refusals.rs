//! Questions that are not sent, and answers that are refused.

use serde_json::{Map, Value, json};

use super::party::{Party, REVISIONS, able, text};

fn never(method: &str, _: &Value) -> Value {
    panic!("{method} was asked")
}

#[tokio::test]
async fn a_client_is_not_asked_what_it_did_not_declare() {
    for revision in REVISIONS {
        let mut party = Party::new(revision, json!({})).await;
        let response = party.call("book", json!({}), never).await;
        let error = &response["error"];
        if revision == "2026-07-28" {
            assert_eq!(error["code"], -32021);
            let needed = json!({"requiredCapabilities": {"elicitation": {"form": {}}}});
            assert_eq!(error["data"], needed);
        } else {
            assert_eq!(error["code"], -32602);
            assert_eq!(error["message"], "Unsupported capability: elicitation.form");
            assert_eq!(error["data"]["capability"], "elicitation.form");
        }
    }
}

#[tokio::test]
async fn a_handler_can_do_without_the_capability() {
    for revision in REVISIONS {
        let mut party = Party::new(revision, json!({})).await;
        let response = party.call("if_possible", json!({}), never).await;
        assert_eq!(text(&response), "without elicitation.form", "{revision}");
    }
}

#[tokio::test]
async fn forms_need_no_more_than_the_bare_capability() {
    for revision in REVISIONS {
        let mut party = Party::new(revision, json!({"elicitation": {}})).await;
        let decline = |_: &str, _: &Value| json!({"action": "decline"});
        let response = party.call("mood", json!({}), decline).await;
        assert_eq!(text(&response), "declined", "{revision}");
    }
}

#[tokio::test]
async fn an_answer_has_to_fit_its_question() {
    for revision in REVISIONS {
        let mut party = Party::new(revision, able()).await;
        let too_long = |_: &str, _: &Value| json!({"action": "accept", "content": {"city": "Oslo", "nights": 31}});
        let response = party.call("book", json!({}), too_long).await;
        assert_eq!(response["result"]["isError"], true, "{response}");
        let said = text(&response);
        assert!(said.contains("`nights` must be at most 30"), "{said}");
    }
}

async fn wants(party: &mut Party, tool: &str) -> Value {
    let params = json!({"name": tool, "arguments": {}});
    let response = party.send("tools/call", &params, Map::new()).await;
    assert_eq!(
        response["result"]["resultType"], "input_required",
        "{response}"
    );
    response["result"].clone()
}

async fn retried(
    party: &mut Party,
    tool: &str,
    arguments: Value,
    retry: Map<String, Value>,
) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    party.send("tools/call", &params, retry).await
}

fn accepted(_: &str, _: &Value) -> Value {
    json!({"action": "accept", "content": {"answer": "Ada"}})
}

#[tokio::test]
async fn a_changed_state_is_refused() {
    let mut party = Party::new("2026-07-28", able()).await;
    let wanted = wants(&mut party, "twice").await;
    let state = wanted["requestState"].as_str().unwrap().to_owned();
    let mut middle = state.clone().into_bytes();
    let place = middle.len() / 2;
    middle[place] = if middle[place] == b'A' { b'B' } else { b'A' };
    let changed = [
        format!("{state}-TAMPERED"),
        String::from_utf8(middle).unwrap(),
        state[..state.len() - 4].to_owned(),
        String::new(),
        "state".to_owned(),
    ];
    for changed in changed {
        let mut retry = party.retry(&wanted, accepted);
        retry["requestState"] = changed.clone().into();
        let response = retried(&mut party, "twice", json!({}), retry).await;
        assert_eq!(response["error"]["code"], -32602, "{changed}: {response}");
    }
    let retry = party.retry(&wanted, accepted);
    let response = retried(&mut party, "twice", json!({}), retry).await;
    assert_eq!(response["result"]["resultType"], "input_required");
}

#[tokio::test]
async fn a_state_is_of_use_to_its_own_call_only() {
    let mut party = Party::new("2026-07-28", able()).await;
    let wanted = wants(&mut party, "twice").await;
    for (tool, arguments) in [("mood", json!({})), ("twice", json!({"more": 1}))] {
        let retry = party.retry(&wanted, accepted);
        let response = retried(&mut party, tool, arguments, retry).await;
        assert_eq!(response["error"]["code"], -32602, "{tool}: {response}");
        let message = response["error"]["message"].as_str().unwrap();
        assert!(message.contains("params.requestState"), "{message}");
    }
}

#[tokio::test]
async fn a_state_of_another_server_is_refused() {
    let mut party = Party::new("2026-07-28", able()).await;
    let wanted = wants(&mut party, "twice").await;
    let retry = party.retry(&wanted, accepted);
    let mut other = Party::new("2026-07-28", able()).await;
    let response = retried(&mut other, "twice", json!({}), retry).await;
    assert_eq!(response["error"]["code"], -32602, "{response}");
}

#[tokio::test]
async fn responses_have_to_be_objects() {
    let mut party = Party::new("2026-07-28", able()).await;
    for responses in [json!({"name": 12345}), json!([]), json!("text")] {
        let mut retry = Map::new();
        retry.insert("inputResponses".to_owned(), responses);
        let response = retried(&mut party, "mood", json!({}), retry).await;
        assert_eq!(response["error"]["code"], -32602, "{response}");
    }
}

#[tokio::test]
async fn what_is_missing_is_asked_for_again() {
    let mut party = Party::new("2026-07-28", able()).await;
    let wanted = wants(&mut party, "mood").await;
    let mut retry = party.retry(&wanted, accepted);
    retry["inputResponses"] = json!({"other": {"action": "accept"}});
    let response = retried(&mut party, "mood", json!({}), retry).await;
    assert_eq!(response["result"]["inputRequests"], wanted["inputRequests"]);
}

#[tokio::test]
async fn a_handler_that_asks_for_ever_comes_to_an_end() {
    let mut party = Party::new("2026-07-28", able()).await;
    let response = party.call("insatiable", json!({}), accepted).await;
    assert_eq!(response["error"]["code"], -32603, "{response}");
    assert_eq!(party.asked.len(), 8);
}

#[tokio::test]
async fn requests_are_checked_as_well() {
    let none = |_: &str, _: &Value| json!({"roots": []});
    for (revision, capabilities, said) in [
        ("2025-06-18", able(), "0 roots"),
        ("2025-06-18", json!({}), "did not declare"),
        (
            "2026-07-28",
            able(),
            "does not exist in revision 2026-07-28",
        ),
    ] {
        let mut party = Party::new(revision, capabilities).await;
        let response = party.call("bluntly", json!({}), none).await;
        assert!(text(&response).contains(said), "{response}");
    }
}
