//! Tests questions of tasks, and the code that runs before a call becomes a task.

use std::time::Duration;

use mcp_runtime::serde_json::{Value, json};

use crate::studio::Studio;
use crate::wire::Wire;

/// The answer to a form with one field.
fn accept(field: &str, value: impl Into<Value>) -> Value {
    json!({"action": "accept", "content": {field: value.into()}})
}

fn field(question: &Value) -> String {
    let fields = question["params"]["requestedSchema"]["properties"].as_object();
    fields.unwrap().keys().next().unwrap().clone()
}

fn keys(status: &Value) -> Vec<&String> {
    let requests = status["inputRequests"].as_object();
    requests.map(|it| it.keys().collect()).unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn several_questions_are_answered_in_any_order_and_each_once() {
    let (server, _) = Studio::default().server();
    let mut wire = Wire::to(&server).await;
    let id = wire.start("ask", json!({})).await;
    let asked = wire.until(&id, "input_required").await;
    assert_eq!(keys(&asked), ["name", "age"], "{asked}");
    let question = &asked["inputRequests"]["age"];
    assert_eq!(question["method"], "elicitation/create", "{question}");

    let answer = json!({"age": accept(&field(question), 36), "guessed": {"action": "cancel"}});
    let acknowledged = wire.update(&id, answer).await;
    assert_eq!(acknowledged["resultType"], "complete", "{acknowledged}");
    assert!(acknowledged.get("taskId").is_none(), "{acknowledged}");
    let left = wire.get(&id).await;
    assert_eq!(left["status"], "input_required");
    assert_eq!(keys(&left), ["name"], "{left}");

    // The time limit of two seconds is paused while the user is asked.
    tokio::time::sleep(Duration::from_secs(60)).await;
    let text = field(&left["inputRequests"]["name"]);
    let late = json!({"age": accept(&field(question), 99), "name": accept(&text, "Ada")});
    wire.update(&id, late).await;
    tokio::time::sleep(Duration::from_millis(10)).await;
    let again = wire.get(&id).await;
    // The same question is asked again with another key.
    assert_eq!(keys(&again), ["name-2"], "{again}");
    wire.update(&id, json!({"name": accept(&text, "Eve")}))
        .await;
    assert_eq!(keys(&wire.get(&id).await), ["name-2"]);
    wire.update(&id, json!({"name-2": accept(&text, "Bob")}))
        .await;
    let done = wire.until(&id, "completed").await;
    assert_eq!(
        done["result"]["content"][0]["text"], "Ada, 36, Bob",
        "{done}"
    );
    assert!(keys(&done).is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_response_that_is_not_an_object_is_refused() {
    let (server, _) = Studio::default().server();
    let mut wire = Wire::to(&server).await;
    let id = wire.start("ask", json!({})).await;
    let error = wire.update(&id, json!({"name": 5})).await;
    assert_eq!(error["code"], -32602, "{error}");
    assert_eq!(keys(&wire.get(&id).await), ["name", "age"]);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_task_asks_nothing_more() {
    let (server, _) = Studio::default().server();
    let mut wire = Wire::to(&server).await;
    let id = wire.start("ask", json!({})).await;
    wire.until(&id, "input_required").await;
    wire.cancel(&id).await;
    let cancelled = wire.get(&id).await;
    assert_eq!(cancelled["status"], "cancelled", "{cancelled}");
    assert!(keys(&cancelled).is_empty(), "{cancelled}");
}

/// Repeats a call with answers to all of its questions.
async fn answered(wire: &mut Wire, tool: &str, asked: &Value, value: bool) -> Value {
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let asked_for = asked["inputRequests"].as_object().unwrap().iter();
    let answers = asked_for.map(|(key, it)| (key.clone(), accept(&field(it), value)));
    let answers = Value::Object(answers.collect());
    let retry = json!({"name": tool, "arguments": {}, "inputResponses": answers,
        "requestState": asked["requestState"]});
    wire.ask("tools/call", retry).await
}

#[tokio::test(start_paused = true)]
async fn questions_that_are_parameters_are_rounds_of_the_call() {
    let studio = Studio::default();
    let (server, _) = studio.server();
    let mut wire = Wire::to(&server).await;
    let asked = wire.call("confirm", json!({})).await;
    assert!(studio.noted().is_empty());
    let created = answered(&mut wire, "confirm", &asked, true).await;
    assert_eq!(created["resultType"], "task", "{created}");
    let done = wire
        .until(created["taskId"].as_str().unwrap(), "completed")
        .await;
    assert_eq!(done["result"]["content"][0]["text"], "true", "{done}");
}

#[tokio::test(start_paused = true)]
async fn code_before_defer_belongs_to_the_call_and_the_rest_to_the_task() {
    let studio = Studio::default();
    let (server, _) = studio.server();
    let mut wire = Wire::to(&server).await;
    let asked = wire.call("clean", json!({})).await;
    let created = answered(&mut wire, "clean", &asked, true).await;
    assert_eq!(created["resultType"], "task", "{created}");
    let id = created["taskId"].as_str().unwrap();
    let asked = wire.until(id, "input_required").await;
    assert_eq!(keys(&asked), ["second"], "{asked}");
    let text = field(&asked["inputRequests"]["second"]);
    wire.update(id, json!({"second": accept(&text, false)}))
        .await;
    let done = wire.until(id, "completed").await;
    assert_eq!(
        done["result"]["content"][0]["text"], "true, false",
        "{done}"
    );
    assert_eq!(studio.noted(), ["before", "before", "after"]);

    // Without the extension, the call stays a plain call with rounds of questions.
    wire.capabilities = json!({"elicitation": {}});
    let asked = wire.call("clean", json!({})).await;
    let asked = answered(&mut wire, "clean", &asked, true).await;
    assert_eq!(
        asked["inputRequests"].as_object().unwrap().len(),
        1,
        "{asked}"
    );
    assert!(asked["inputRequests"]["second"].is_object(), "{asked}");
}
