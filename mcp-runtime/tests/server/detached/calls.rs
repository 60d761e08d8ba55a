//! Detached calls: what they do, and what ends them.

use std::sync::Arc;
use std::time::Duration;

use mcp_runtime::prelude::*;
use mcp_runtime::server::DetachedRequest;
use mcp_runtime::types::RawJson;
use mcp_runtime::{Era, Revision, Server};
use serde_json::{Value, json};

use super::workshop::{Call, News, Test, When, Workshop, call, is_ticket};
use crate::support::Wire;

#[tokio::test(start_paused = true)]
async fn what_a_detached_call_does_goes_to_the_extension() {
    for era in Era::ALL {
        let mut test = Test::new(When::InASecond);
        let mut wire = test.wire(era).await;
        wire.send(call(era, "work", &json!({"seconds": 5}))).await;
        let progress = wire.answer().await;
        assert_eq!(progress["params"]["message"], "begun", "{progress}");
        let answer = wire.answer().await;
        assert!(is_ticket(&answer), "{answer}");
        let News::Progress(done, total, message) = test.next().await else {
            panic!("{era}")
        };
        assert_eq!((done, total, &*message), (2.0, Some(3.0), "nearly"));
        let News::Logged(data) = test.next().await else {
            panic!("{era}")
        };
        assert_eq!(data, "a word");
        let ended = test.ended().await;
        let text = ended["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("done in 202"), "{text}");
        // The client gets no other message.
        wire.lives_on().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_not_detached_is_as_any_other() {
    for era in Era::ALL {
        let test = Test::new(When::Never);
        let mut wire = test.wire(era).await;
        wire.send(call(era, "work", &json!({"seconds": 5}))).await;
        for message in ["begun", "nearly"] {
            assert_eq!(wire.answer().await["params"]["message"], message, "{era}");
        }
        let answer = wire.answer().await;
        assert!(
            answer["result"]["content"][0]["text"].is_string(),
            "{answer}"
        );
        let token = test.workshop.cancelled.lock().unwrap().clone().unwrap();
        assert!(token.is_cancelled());
    }
}

#[tokio::test(start_paused = true)]
async fn arguments_that_do_not_fit_and_plain_functions_are_answered_before_the_function_is_entered()
{
    let test = Test::new(When::Entered);
    let mut wire = test.wire(Era::Stateless).await;
    let answer = wire.ask(call(Era::Stateless, "work", &json!({}))).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    wire.send(call(Era::Stateless, "plain", &json!({}))).await;
    for message in ["begun", "done"] {
        assert_eq!(wire.answer().await["params"]["message"], message);
    }
    let answer = wire.answer().await;
    assert_eq!(answer["result"]["content"][0]["text"], "plain", "{answer}");
    assert!(test.later.detached.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_call_is_detached_before_its_function_has_done_anything() {
    for era in Era::ALL {
        let mut test = Test::new(When::Entered);
        let mut wire = test.wire(era).await;
        let answer = wire.ask(call(era, "work", &json!({"seconds": 5}))).await;
        assert!(is_ticket(&answer), "{era}: {answer}");
        let News::Progress(done, ..) = test.next().await else {
            panic!("{era}")
        };
        assert_eq!(done, 1.0, "{era}");
    }
}

#[tokio::test(start_paused = true)]
async fn questions_that_are_parameters_belong_to_the_call() {
    let accept = json!({"action": "accept", "content": {"really": true}});
    // In the handshake era, the question is a request.
    let mut test = Test::new(When::Entered);
    let mut wire = test.wire(Era::Handshake).await;
    let asked = wire
        .ask(call(Era::Handshake, "parameter", &json!({})))
        .await;
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": accept});
    let answer = wire.ask(answer).await;
    assert!(is_ticket(&answer), "{answer}");
    assert_eq!(test.ended().await["content"][0]["text"], "true");

    // In the stateless era, the question takes another round.
    let mut test = Test::new(When::Entered);
    let mut wire = test.wire(Era::Stateless).await;
    let mut retry = call(Era::Stateless, "parameter", &json!({}));
    let asked = wire.ask(retry.clone()).await["result"].clone();
    let names = asked["inputRequests"].as_object().unwrap().keys();
    let answers = names.map(|name| (name.clone(), accept.clone()));
    retry["params"]["inputResponses"] = Value::Object(answers.collect());
    retry["params"]["requestState"] = asked["requestState"].clone();
    assert!(test.workshop.done.lock().unwrap().is_empty());
    let answer = wire.ask(retry).await;
    assert!(is_ticket(&answer), "{answer}");
    assert_eq!(test.ended().await["content"][0]["text"], "true");
    assert_eq!(*test.workshop.done.lock().unwrap(), ["entered"]);
}

#[tokio::test(start_paused = true)]
async fn questions_after_the_answer_go_to_the_extension_while_the_time_limit_stands_still() {
    for era in Era::ALL {
        let mut test = Test::new(When::Entered);
        let mut wire = test.wire(era).await;
        let answer = wire.ask(call(era, "ask", &json!({"first": 1}))).await;
        assert!(is_ticket(&answer), "{era}: {answer}");
        let News::Asked(key, question, answer) = test.next().await else {
            panic!("{era}")
        };
        assert_eq!(question["params"]["message"], "Your name?", "{era}");
        assert!(key.starts_with("elicit-"), "{key}");
        // The tool's time limit is two seconds.
        tokio::time::sleep(Duration::from_secs(60)).await;
        let accepted = json!({"action": "accept", "content": {"answer": "Ada"}});
        answer.send(accepted).unwrap();
        let News::Kept(key, value) = test.next().await else {
            panic!("{era}")
        };
        assert_eq!((&*key, value), ("kept", json!("new")));
        let ended = test.ended().await;
        assert_eq!(
            ended["content"][0]["text"], "Ada, new, from before",
            "{era}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_limit_of_a_tool_holds_when_it_is_detached() {
    let mut test = Test::new(When::Entered);
    let mut wire = test.wire(Era::Stateless).await;
    let answer = wire
        .ask(call(Era::Stateless, "ask", &json!({"first": 9})))
        .await;
    assert!(is_ticket(&answer), "{answer}");
    let ended = test.ended().await;
    assert_eq!(ended["content"][0]["text"], "not finished within 2s");
}

#[tokio::test(start_paused = true)]
async fn a_question_before_the_call_is_detached_ends_a_stateless_round() {
    let test = Test::new(When::InASecond);
    let mut wire = test.wire(Era::Stateless).await;
    let answer = wire
        .ask(call(Era::Stateless, "ask", &json!({"first": 0})))
        .await;
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(test.later.detached.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_detached_call_cancels_its_token_and_the_end_of_the_request_does_not() {
    let mut test = Test::new(When::InASecond);
    let mut wire = test.wire(Era::Stateless).await;
    wire.send(call(Era::Stateless, "work", &json!({"seconds": 60})))
        .await;
    wire.answer().await;
    let answer = wire.answer().await;
    assert!(is_ticket(&answer), "{answer}");
    let token = test.workshop.cancelled.lock().unwrap().clone().unwrap();
    assert!(!token.is_cancelled());
    test.later.detached.lock().unwrap().clear();
    assert!(token.is_cancelled());
    test.ended().await;
}

#[tokio::test(start_paused = true)]
async fn a_detached_call_keeps_of_its_request_only_what_its_function_has_taken() {
    for (tool, kept) in [("alone", 0), ("work", 1)] {
        let mut test = Test::new(When::Entered);
        let mut wire = test.wire(Era::Stateless).await;
        let call = call(Era::Stateless, tool, &json!({"seconds": 5}));
        assert!(is_ticket(&wire.ask(call).await), "{tool}");
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(
            Arc::strong_count(&test.later.of_request),
            1 + kept,
            "{tool}"
        );
        test.ended().await;
        assert_eq!(Arc::strong_count(&test.later.of_request), 1, "{tool}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_is_made_again_without_a_client() {
    let mut test = Test::new(When::Entered);
    let call = || Arc::new(Call(test.later.news.clone()));
    let arguments = |json: Value| RawJson::from(json);
    let mut again =
        DetachedRequest::new("work", arguments(json!({"seconds": 5})), Revision::LATEST);
    again.insert("Ada".to_owned());
    let result = test.server.call_detached(again, call()).await.unwrap();
    assert!(
        result.get().contains("done in 2026-07-28 for Ada"),
        "{result}"
    );
    assert!(!result.get().contains("serverInfo"), "{result}");
    for step in [1.0, 2.0] {
        let News::Progress(done, ..) = test.next().await else {
            panic!("{step}")
        };
        assert_eq!(done, step);
    }
    assert_eq!(
        test.workshop
            .cancelled
            .lock()
            .unwrap()
            .as_ref()
            .map(CancellationToken::is_cancelled),
        Some(true)
    );

    // The extension gets the call's questions, including those that are parameters.
    let call = Arc::new(Call(test.later.news.clone()));
    let mut again = DetachedRequest::new("parameter", arguments(json!({})), Revision::LATEST);
    again.capabilities = serde_json::from_value(json!({"elicitation": {}})).unwrap();
    let server = test.server.clone();
    let running = tokio::spawn(async move { server.call_detached(again, call).await });
    loop {
        if let News::Asked(_, question, answer) = test.next().await {
            assert_eq!(question["params"]["message"], "Really?");
            answer
                .send(json!({"action": "accept", "content": {"really": true}}))
                .unwrap();
            break;
        }
    }
    let result = running.await.unwrap().unwrap();
    assert!(result.get().contains("true"), "{result}");

    let unknown = DetachedRequest::new("nothing", RawJson::empty_object(), Revision::LATEST);
    let call = Arc::new(Call(test.later.news.clone()));
    let error = test.server.call_detached(unknown, call).await.unwrap_err();
    assert_eq!(error.code, -32602, "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_a_detached_call_is_an_error() {
    let mut test = Test::new(When::Entered);
    let mut wire = test.wire(Era::Stateless).await;
    let answer = wire.ask(call(Era::Stateless, "panics", &json!({}))).await;
    assert!(is_ticket(&answer), "{answer}");
    let News::Ended(Err(error)) = test.next().await else {
        panic!("it did not fail")
    };
    assert!(error.contains("Internal error"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_tool_keeps_what_it_has_of_an_extension_where_its_server_is_mounted() {
    let mut test = Test::new(When::Entered);
    let mut outer = Server::builder();
    outer.mount("inner", &test.server);
    let mut wire = Wire::to(&outer.build()).await;
    let message = call(Era::Stateless, "inner_work", &json!({"seconds": 5}));
    let answer = wire.ask(message).await;
    assert!(is_ticket(&answer), "{answer}");
    test.ended().await;
}

#[tokio::test]
async fn a_server_that_lacks_what_a_tool_needs_does_not_start() {
    let mut inner = Server::builder();
    inner.mount("b", Workshop::default().into_server());
    let mut outer = Server::builder();
    outer.mount("a", inner.build());
    let (_ours, theirs) = mcp_runtime::transport::memory::pair();
    let error = outer.build().serve(theirs).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the tool `a_b_work` needs the extension `com.example/later`, which the server lacks: add it by \
         `ServerBuilder::extension`"
    );
}
