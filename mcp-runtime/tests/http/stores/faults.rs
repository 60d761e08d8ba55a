//! Failures of stores: how clients are answered, and that sessions and streams continue afterwards.

use std::time::Duration;

use mcp_runtime::store::{KeyValue as _, PutMode};
use mcp_runtime::transport::http::SessionId;
use serde_json::{Value, json};

use super::shared::{Fault, Shared, elsewhere};
use crate::site::{Answer, Session, read, read_until};
use crate::support::clock::{Clock, in_time, until};
use crate::support::{call, initialize, request};

/// Puts a record into the store, as another process would, and returns the answer to a request of
/// this session.
async fn answer_from(record: &str) -> Answer {
    let store = Shared::default();
    let id = SessionId::new(7);
    let record = record.to_owned().into();
    let hour = Duration::from_secs(3600);
    let key = format!("session:{id}");
    let put = store.values.put(&key, record, hour, PutMode::Create);
    put.await.unwrap();
    let site = store.site().await;
    let session = Session {
        site: &site,
        id: id.to_string(),
        revision: "2025-06-18".to_owned(),
    };
    let answer = session.ask(&call(1, "echo", json!({}))).await;
    site.lives_on().await;
    answer
}

fn record(owner: &Value, state: &Value) -> String {
    let initialize = &initialize("2025-06-18")["params"];
    json!({"format": 1, "owner": owner, "initialize": initialize, "state": state}).to_string()
}

#[tokio::test]
async fn a_session_is_served_from_its_record() {
    let operating = json!({"initialized": true});
    let answer = answer_from(&record(&Value::Null, &operating)).await;
    assert_eq!(answer.status, 200, "{answer:?}");

    // Another version may add members.
    let more = json!({"initialized": true, "colour": "green"});
    let answer = answer_from(&record(&Value::Null, &more)).await;
    assert_eq!(answer.status, 200, "{answer:?}");

    // The client has not sent `notifications/initialized`.
    let answer = answer_from(&record(&Value::Null, &json!({}))).await;
    assert!(answer.body.contains("initialized"), "{answer:?}");
}

#[tokio::test]
async fn a_session_is_unknown_if_it_is_of_another_caller_or_its_record_is_damaged() {
    let operating = json!({"initialized": true});
    let of_ann = record(&json!("ann"), &operating);
    let unknown = record(&Value::Null, &operating).replace("2025-06-18", "1.0.0");
    for record in [&*of_ann, &unknown, "{}", "garbage", ""] {
        let answer = answer_from(record).await;
        assert_eq!(answer.status, 404, "{record}: {answer:?}");
    }
}

#[tokio::test]
async fn a_session_of_a_newer_version_goes_on_elsewhere() {
    let newer = json!({"format": 2, "anything": "else"}).to_string();
    assert_unavailable(&answer_from(&newer).await, "get");
}

#[tokio::test]
async fn a_store_without_room_refuses_new_sessions() {
    let store = Shared::default();
    let site = store.site().await;
    store.fail("create");
    let open = site.request("POST");
    let open = open.header("content-type", "application/json");
    let open = open.body(initialize("2025-06-18").to_string()).unwrap();
    assert_unavailable(&site.send(open).await, "create");
    site.lives_on().await;
}

/// Checks that the answer asks the client to send the request again later.
fn assert_unavailable(answer: &Answer, method: &str) {
    assert_eq!(answer.status, 503, "{method}: {answer:?}");
    assert_eq!(answer.header("retry-after"), Some("1"), "{method}");
    assert!(!answer.body.contains("unplugged"), "{method}: {answer:?}");
}

fn delete(session: &Session<'_>) -> http::Request<String> {
    session.request("DELETE").body(String::new()).unwrap()
}

#[tokio::test]
async fn a_session_goes_on_once_its_store_works_again() {
    let store = Shared::default();
    let site = store.site().await;
    let other = store.site().await;
    let session = site.session("2025-11-25").await;
    let there = elsewhere(&session, &other);
    let open = || {
        let open = site
            .request("POST")
            .header("content-type", "application/json");
        open.body(initialize("2025-11-25").to_string()).unwrap()
    };
    let plain = call(1, "echo", json!({}));
    let level = request(2, "logging/setLevel", json!({"level": "error"}));
    for (method, at, status, request) in [
        ("create", &site, 200, &open as &dyn Fn() -> _),
        ("get", &site, 200, &|| session.post(&plain)),
        ("get", &other, 200, &|| there.post(&plain)),
        ("update", &site, 200, &|| session.post(&level)),
        ("remove", &other, 204, &|| delete(&there)),
    ] {
        store.fail(method);
        assert_unavailable(&at.send(request()).await, method);
        store.fail("nothing");
        if method == "update" {
            // The request failed, so the log level must not have changed.
            let log = session.ask(&call(3, "work", json!({}))).await;
            assert!(log.body.contains("notifications/message"), "{log:?}");
        }
        let answer = session.ask(&plain).await;
        assert_eq!(answer.status, 200, "{method}: {answer:?}");
        let answer = at.send(request()).await;
        assert_eq!(answer.status, status, "{method}: {answer:?}");
    }
    assert_eq!(session.ask(&plain).await.status, 404);
}

#[tokio::test]
async fn a_stream_goes_on_while_its_events_are_unavailable() {
    let store = Shared::default();
    let site = store.site().await;
    let session = site.session("2025-11-25").await;
    let mut stream = session.start(&call(1, "tell_and_wait", json!({}))).await;
    read_until(&mut stream, "notifications/progress").await;

    for (id, failure) in [(2, "append"), (3, "panic")] {
        store.fail(failure);
        let mut unstored = session.start(&call(id, "tell_and_wait", json!({}))).await;
        read_until(&mut unstored, "notifications/progress").await;
    }

    store.fail("replay");
    let answer = read(session.listen(Some("2-0")).await).await;
    assert_unavailable(&answer, "replay");
    store.fail("nothing");
    let mut resumed = session.listen(Some("2-0")).await;
    assert_eq!(resumed.status(), 200);
    read_until(&mut resumed, "notifications/progress").await;
}

#[tokio::test]
async fn the_events_of_a_session_that_is_over_are_removed_in_the_end() {
    let clock = Clock::stopped();
    let store = Shared::default();
    let site = store.site().await;
    let session = site.session("2025-11-25").await;
    session.ask(&call(1, "tell", json!({}))).await;
    store.fail("forget");
    assert_eq!(site.send(delete(&session)).await.status, 204);
    assert_eq!(store.called("forget"), 1);
    clock.pass(Duration::from_secs(11)).await;
    store.fail("nothing");
    assert_eq!(store.called("forget"), 2);
    clock.pass(Duration::from_secs(11)).await;
    until("the events are removed", || store.called("forget") == 3).await;
    clock.pass(Duration::from_secs(60)).await;
    assert_eq!(store.called("forget"), 3);
}

/// Returns a request that calls this method of the store, and the status of its answer if the store
/// works.
fn waiting(session: &Session<'_>, method: &str) -> (http::Request<String>, u16) {
    let open = session.site.request("POST");
    let open = open.header("content-type", "application/json");
    match method {
        "create" => (
            open.body(initialize("2025-11-25").to_string()).unwrap(),
            200,
        ),
        "get" => (session.post(&call(1, "echo", json!({}))), 200),
        "update" => {
            let level = request(2, "logging/setLevel", json!({"level": "error"}));
            (session.post(&level), 200)
        }
        "replay" => {
            let resumed = session.request("GET").header("last-event-id", "2-0");
            (resumed.body(String::new()).unwrap(), 200)
        }
        _ => (delete(session), 204),
    }
}

const METHODS: [&str; 5] = ["create", "get", "update", "replay", "remove"];

#[tokio::test]
async fn each_fault_of_a_store_is_a_clear_error_and_ends_with_it() {
    for method in METHODS {
        for fault in [Fault::Fails, Fault::FailsUntil(2), Fault::LosesAnswers] {
            let store = Shared::default();
            let site = store.site().await;
            let session = site.session("2025-11-25").await;
            session.ask(&call(1, "tell", json!({}))).await;
            store.fail_as(method, fault);
            let (message, _) = waiting(&session, method);
            assert_unavailable(&in_time(site.send(message)).await, method);
            if fault != Fault::FailsUntil(2) {
                store.fail("nothing");
            }
            let (message, mut expected) = waiting(&session, method);
            // The session was removed although the store's answer was lost.
            if (method, fault) == ("remove", Fault::LosesAnswers) {
                expected = 404;
            }
            let answer = in_time(site.start(message)).await;
            assert_eq!(answer.status().as_u16(), expected, "{method}");
        }
    }
}

#[tokio::test]
async fn a_session_goes_on_until_its_store_fails_and_after_it() {
    let store = Shared::default();
    let site = store.site().await;
    let session = site.session("2025-11-25").await;
    store.fail_as("get", Fault::FailsFrom(3));
    for attempt in 1..5 {
        let answer = session.ask(&call(attempt, "echo", json!({}))).await;
        let status = if attempt < 3 { 200 } else { 503 };
        assert_eq!(answer.status, status, "{answer:?}");
    }
    store.fail("nothing");
    let answer = session.ask(&call(5, "echo", json!({}))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[tokio::test]
async fn a_store_that_stalls_holds_up_its_own_requests_only_and_no_shutdown() {
    let clock = Clock::stopped();
    for method in METHODS.into_iter().chain(["append", "forget"]) {
        let store = Shared::default();
        let site = store.site().await;
        let session = site.session("2025-11-25").await;
        session.ask(&call(1, "tell", json!({}))).await;
        store.fail_as(method, Fault::Stalls);
        let (message, _) = match method {
            "append" => (session.post(&call(2, "tell", json!({}))), 200),
            _ => waiting(&session, method),
        };
        let stalled = site.connect().await.send_request(message);
        let stalled = tokio::spawn(stalled);
        until("the store is called", || store.called(method) == 1).await;
        in_time(site.lives_on()).await;
        if ["append", "forget"].contains(&method) {
            in_time(stalled).await.unwrap().unwrap();
        } else {
            assert!(!stalled.is_finished(), "{method}");
        }
        site.shutdown.shut_down();
        let serving = clock.run_until(Duration::from_secs(1), site.serving);
        in_time(serving).await.unwrap().unwrap();
    }
}
