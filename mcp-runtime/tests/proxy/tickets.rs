//! Questions of a server with a handshake to stateless clients, whose calls wait for the answers.

use mcp_runtime::{Era, Server};
use serde_json::{Value, json};

use crate::behind::{Behind, answer_to, asked, member, proxy};
use crate::stateless_client::begin;
use crate::support::scripted::Scripted;
use crate::support::{Wire, request};

fn capabilities() -> Value {
    json!({"elicitation": {"form": {}}, "roots": {}})
}

/// A call of the tool `shop`, with more parameters.
fn shop(id: u64, more: Value) -> Value {
    let mut params = json!({"name": "shop", "arguments": {"n": 1, "m": [2]}});
    for (name, value) in more.as_object().unwrap() {
        params[name] = value.clone();
    }
    asked(id, "tools/call", params, capabilities())
}

/// Calls the tool, and lets the server ask. Returns the id of the call at the server, and the ticket.
async fn parked(proxy: &Server, behind: &mut Behind) -> (Wire, Scripted, Value, Value) {
    let (mut wire, mut server, id, _) = begin(proxy, behind, shop(1, json!({}))).await;
    server.send(request("q", "roots/list", json!({}))).await;
    let required = wire.answer().await;
    assert_eq!(
        required["result"]["resultType"], "input_required",
        "{required}"
    );
    (wire, server, id, required["result"]["requestState"].clone())
}

fn retry(id: u64, ticket: &Value) -> Value {
    let responses = json!({"1": {"roots": []}});
    shop(
        id,
        json!({"requestState": ticket, "inputResponses": responses}),
    )
}

#[tokio::test(start_paused = true)]
async fn a_question_waits_for_the_retry_and_the_tool_runs_once() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let (mut wire, mut server, id, params) = begin(&proxy, &mut behind, shop(1, json!({}))).await;
    assert_eq!(
        params,
        json!({"name": "shop", "arguments": {"n": 1, "m": [2]}})
    );
    let form = r#"{"z":1e400,"message":"Sure?","requestedSchema":{"b":1,"a":2}}"#;
    let question =
        format!(r#"{{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{form}}}"#);
    server.send_text(&question).await;
    let required = wire.next_text().await;
    let result = member(&required, "result");
    assert_eq!(member(&result, "resultType"), "\"input_required\"");
    let requests = member(&result, "inputRequests");
    let asked = member(&requests, "1");
    assert_eq!(member(&asked, "method"), "\"elicitation/create\"");
    assert_eq!(member(&asked, "params"), form);

    let answer = r#"{"z":1,"action":"accept","content":{"n":1.0}}"#;
    let ticket: Value = serde_json::from_str(&member(&result, "requestState")).unwrap();
    let retry = shop(
        2,
        json!({"requestState": ticket, "inputResponses": {"1": "ANSWER"}}),
    );
    wire.send_text(&retry.to_string().replace("\"ANSWER\"", answer))
        .await;
    let outcome = format!(r#""result":{answer}"#);
    assert_eq!(server.next_text().await, answer_to(&question, &outcome));
    server.answer(&id, json!({"content": [], "y": 1})).await;
    let done = wire.answer().await;
    assert_eq!((&done["id"], &done["result"]["y"]), (&json!(2), &json!(1)));
    assert!(behind.is_empty());
}

#[tokio::test(start_paused = true)]
async fn progress_and_logs_between_a_question_and_the_retry_reach_the_retry() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let wanting = |mut call: Value, token: &str| {
        call["params"]["_meta"]["progressToken"] = token.into();
        call["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = "debug".into();
        call
    };
    let mut wire = Wire::to(&proxy).await;
    wire.send(wanting(shop(1, json!({})), "first")).await;
    let mut server = behind.operating().await;
    let (level, _) = server.expect("logging/setLevel").await;
    server.answer(&level, json!({})).await;
    let (id, params) = server.expect("tools/call").await;
    let token = &params["_meta"]["progressToken"];
    let progress = |amount| json!({"progressToken": token, "progress": amount});
    server.send(request("q", "roots/list", json!({}))).await;
    let required = wire.answer().await["result"].clone();
    let log = json!({"level": "info", "data": "n"});
    server.notify("notifications/progress", progress(1)).await;
    server.notify("notifications/message", log.clone()).await;
    let large = json!({"level": "info", "data": "x".repeat(70_000)});
    server.notify("notifications/message", large).await;
    server.notify("notifications/progress", progress(2)).await;
    // Nothing is sent for a request that has been answered.
    server.send(request("p", "ping", json!({}))).await;
    assert_eq!(server.next().await.unwrap()["id"], "p");
    let ping = asked(5, "ping", json!({}), capabilities());
    assert_eq!(wire.ask(ping).await["id"], 5);

    wire.send(wanting(retry(2, &required["requestState"]), "second"))
        .await;
    let about = |amount| json!({"progressToken": "second", "progress": amount});
    assert_eq!(wire.answer().await["params"], about(1));
    assert_eq!(wire.answer().await["params"], log);
    assert_eq!(wire.answer().await["params"], about(2));
    server.next().await.unwrap();
    server.notify("notifications/progress", progress(3)).await;
    assert_eq!(wire.answer().await["params"], about(3));
    server.answer(&id, json!({"content": []})).await;
    assert_eq!(wire.answer().await["id"], 2);
}

#[tokio::test(start_paused = true)]
async fn questions_that_are_not_answered_are_asked_again() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let (mut wire, mut server, id, _) = begin(&proxy, &mut behind, shop(1, json!({}))).await;
    server
        .send(request("p", "roots/list", json!({"x": 1})))
        .await;
    let first = wire.answer().await;
    assert_eq!(
        first["result"]["inputRequests"],
        json!({"1": {"method": "roots/list", "params": {"x": 1}}})
    );
    server
        .send(request("q", "roots/list", json!({"x": 2})))
        .await;
    let ticket = &first["result"]["requestState"];
    wire.send(shop(2, json!({"requestState": ticket}))).await;
    let second = wire.answer().await["result"].clone();
    assert!(second["inputRequests"]["1"].is_object(), "{second}");
    assert_ne!(&second["requestState"], ticket);
    wire.send(retry(3, &second["requestState"])).await;
    assert_eq!(server.next().await.unwrap()["id"], "p");
    let third = wire.answer().await["result"].clone();
    assert_eq!(
        third["inputRequests"],
        json!({"2": {"method": "roots/list", "params": {"x": 2}}})
    );
    let responses = json!({"2": {"roots": []}});
    let last = json!({"requestState": third["requestState"], "inputResponses": responses});
    wire.send(shop(4, last)).await;
    assert_eq!(server.next().await.unwrap()["id"], "q");
    server.answer(&id, json!({"content": []})).await;
    assert_eq!(wire.answer().await["id"], 4);
}

#[tokio::test(start_paused = true)]
async fn a_ticket_is_good_once_and_only_for_its_call() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let (mut wire, mut server, id, ticket) = parked(&proxy, &mut behind).await;
    let with = |params: Value| {
        let mut message = retry(9, &ticket);
        for (name, value) in params.as_object().unwrap() {
            message["params"][name] = value.clone();
        }
        message
    };
    let mut other_method = with(json!({}));
    other_method["method"] = "prompts/get".into();
    for wrong in [
        with(json!({"name": "other"})),
        with(json!({"arguments": {"n": 2, "m": [2]}})),
        with(json!({"requestState": "0"})),
        with(json!({"requestState": format!("{}0", ticket.as_str().unwrap())})),
        other_method,
    ] {
        let answer = wire.ask(wrong).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    let mut elsewhere = Wire::to(&proxy).await;
    elsewhere.send(retry(2, &ticket)).await;
    assert_eq!(server.next().await.unwrap()["result"], json!({"roots": []}));
    for wire in [&mut wire, &mut elsewhere] {
        let again = wire.ask(retry(3, &ticket)).await;
        assert_eq!(again["error"]["code"], -32602, "{again}");
    }
    server.answer(&id, json!({"content": []})).await;
    let answer = elsewhere.answer().await;
    assert_eq!(
        (&answer["id"], &answer["result"]["resultType"]),
        (&json!(2), &json!("complete"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_ticket_is_bound_to_numbers_of_any_size() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let mut wire = Wire::to(&proxy).await;
    let with = |message: Value, number: &str| message.to_string().replace("[2]", number);
    wire.send_text(&with(shop(1, json!({})), "1e400")).await;
    let mut server = behind.operating().await;
    server.next_text().await;
    server.send(request("q", "roots/list", json!({}))).await;
    let ticket = wire.answer().await["result"]["requestState"].clone();
    let other = wire.ask_text(&with(retry(2, &ticket), "1e401")).await;
    assert_eq!(other["error"]["code"], -32602, "{other}");
    wire.send_text(&with(retry(3, &ticket), "1e400")).await;
    assert_eq!(server.next().await.unwrap()["id"], "q");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_keeps_its_connection() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let (mut wire, mut server, _, ticket) = parked(&proxy, &mut behind).await;
    wire.send(shop(2, json!({}))).await;
    let mut other = behind.operating().await;
    let (id, _) = other.expect("tools/call").await;
    other.answer(&id, json!({"content": []})).await;
    assert_eq!(wire.answer().await["id"], 2);
    wire.send(retry(3, &ticket)).await;
    assert_eq!(server.next().await.unwrap()["id"], "q");
}

#[tokio::test(start_paused = true)]
async fn a_question_that_no_revision_has_is_refused() {
    let (proxy, mut behind) = proxy(Era::Handshake);
    let (mut wire, mut server, id, _) = begin(&proxy, &mut behind, shop(1, json!({}))).await;
    server
        .send(request("q", "com.example/ask", json!({})))
        .await;
    let refused = server.next().await.unwrap();
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!("q"), &json!(-32601))
    );
    server.answer(&id, json!({"content": []})).await;
    assert_eq!(wire.answer().await["id"], 1);
}
