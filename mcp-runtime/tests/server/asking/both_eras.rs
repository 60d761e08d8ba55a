//! The same handlers, in both eras.

use serde_json::{Map, Value, json};

use super::party::{Party, REVISIONS, able, text};

fn accept(content: Value) -> impl Fn(&str, &Value) -> Value {
    move |_, _| json!({"action": "accept", "content": content})
}

#[tokio::test]
async fn the_user_fills_in_a_form() {
    for revision in REVISIONS {
        let mut party = Party::new(revision, able()).await;
        let content = json!({"city": "Oslo", "nights": 3});
        let response = party.call("book", json!({}), accept(content)).await;
        assert_eq!(
            text(&response),
            "3 nights in Oslo, breakfast: None",
            "{revision}"
        );
        let [(method, params)] = &party.asked[..] else {
            panic!("{:?}", party.asked)
        };
        assert_eq!(method, "elicitation/create");
        assert_eq!(params["message"], "Where do you want to go?");
        assert_eq!(
            params["requestedSchema"],
            json!({
                "type": "object",
                "properties": {
                    "city": {"type": "string", "description": "The destination."},
                    "nights": {
                        "type": "integer",
                        "description": "The number of nights.",
                        "minimum": 1,
                        "maximum": 30,
                    },
                    "breakfast": {"type": "boolean"},
                },
                "required": ["city", "nights"],
            })
        );
    }
}

#[tokio::test]
async fn an_integer_may_be_filled_in_with_a_fraction_of_zero() {
    for revision in REVISIONS {
        let mut party = Party::new(revision, able()).await;
        let content = json!({"city": "Oslo", "nights": 3.0});
        let response = party.call("book", json!({}), accept(content)).await;
        let said = "3 nights in Oslo, breakfast: None";
        assert_eq!(text(&response), said, "{revision}");
    }
}

#[tokio::test]
async fn an_answer_leads_to_another_question() {
    for revision in REVISIONS {
        let mut party = Party::new(revision, able()).await;
        let answer = |_: &str, params: &Value| {
            let answer = match params["message"].as_str() {
                Some("What is your name?") => json!("Ada"),
                Some("Is it really Ada?") => json!(true),
                other => panic!("{other:?}"),
            };
            json!({"action": "accept", "content": {"answer": answer}})
        };
        let response = party.call("twice", json!({}), answer).await;
        assert_eq!(text(&response), "Ada: true", "{revision}");
        assert_eq!(party.asked.len(), 2, "{revision}");
    }
}

#[tokio::test]
async fn accepting_declining_and_dismissing_are_different() {
    for revision in REVISIONS {
        let mut party = Party::new(revision, able()).await;
        for (action, said) in [
            ("accept", "answered"),
            ("decline", "declined"),
            ("cancel", "cancelled"),
        ] {
            let answer =
                |_: &str, _: &Value| json!({"action": action, "content": {"answer": "so"}});
            let response = party.call("mood", json!({}), answer).await;
            assert_eq!(text(&response), said, "{revision}");
        }
    }
}

#[tokio::test]
async fn an_answer_may_spell_its_id_with_a_fraction_of_zero() {
    let mut party = Party::new("2025-11-25", able()).await;
    let params = json!({"name": "mood", "arguments": {}});
    let question = party.send("tools/call", &params, Map::new()).await;
    let id = question["id"].as_i64().unwrap();
    let answer = format!(r#"{{"jsonrpc":"2.0","id":{id}.0,"result":{{"action":"decline"}}}}"#);
    let response = party.wire.ask_text(&answer).await;
    assert_eq!(text(&response), "declined");
}

#[tokio::test]
async fn a_form_may_be_known_only_at_run_time() {
    for revision in REVISIONS {
        let mut party = Party::new(revision, able()).await;
        let topic = json!({"topic": "soup"});
        let response = party
            .call("survey", topic.clone(), accept(json!({"soup": 4})))
            .await;
        assert_eq!(text(&response), "{\"soup\": 4}", "{revision}");
        let response = party
            .call("survey", topic, accept(json!({"soup": 6})))
            .await;
        assert_eq!(response["result"]["isError"], true, "{revision}");
    }
}

#[tokio::test]
async fn what_no_form_can_ask_for_is_not_asked() {
    for revision in REVISIONS {
        let mut party = Party::new(revision, able()).await;
        let response = party.call("misguided", json!({}), accept(json!({}))).await;
        assert!(text(&response).contains("a list may only hold choices"));
        assert_eq!(party.asked, [], "{revision}");
    }
}
