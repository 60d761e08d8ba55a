//! Sessions of the handshake era.

use std::time::Duration;

use mcp_runtime::transport::http::HttpOptions;
use serde_json::{Value, json};

use crate::site::{Session, Site, read, read_until};
use crate::support::clock::Clock;
use crate::support::{call, initialize, request};

fn plain(site: &Site, message: &Value) -> http::Request<String> {
    let request = site
        .request("POST")
        .header("content-type", "application/json");
    request.body(message.to_string()).unwrap()
}

#[tokio::test]
async fn a_handshake_opens_a_session_in_every_revision() {
    let site = Site::open().await;
    for revision in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let session = site.session(revision).await;
        assert_eq!(session.id.len(), 32, "128 random bits");
        let answer = session.ask(&call(1, "echo", json!({"a": 1}))).await;
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(answer.json()["result"]["content"][0]["text"], r#"{"a":1}"#);
        let answer = session.ask(&call(2, "soon", json!({}))).await;
        assert_eq!(answer.json()["id"], 2);
    }
}

#[tokio::test]
async fn a_failed_handshake_opens_none() {
    let site = Site::open().await;
    let answer = site.send(plain(&site, &initialize("1.0.0"))).await;
    assert_eq!(answer.error_code(), -32602);
    assert_eq!(answer.header("mcp-session-id"), None);
}

#[tokio::test]
async fn a_client_that_introduces_itself_at_length_gets_no_session() {
    let site = Site::open().await;
    let mut hello = initialize("2025-11-25");
    hello["params"]["clientInfo"]["title"] = json!("x".repeat(64 * 1024));
    let answer = site.send(plain(&site, &hello)).await;
    assert_eq!(answer.error_code(), -32602);
    let text = answer.json()["error"]["message"].to_string();
    assert!(
        text.contains("params: must not exceed 65536 bytes"),
        "{text}"
    );
    assert_eq!(answer.header("mcp-session-id"), None);
    site.lives_on().await;
}

#[tokio::test]
async fn sessions_are_told_apart_from_none_and_from_those_that_ended() {
    let site = Site::open().await;
    let list = request(1, "tools/list", json!({}));
    let answer = site.send(plain(&site, &list)).await;
    assert_eq!(
        (answer.status.as_u16(), answer.error_code()),
        (400, -32600),
        "{answer:?}"
    );
    assert_eq!(answer.json()["id"], 1);
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(site.send(plain(&site, &initialized)).await.status, 400);
    let ping = site
        .send(plain(&site, &request(1, "ping", json!({}))))
        .await;
    assert_eq!(ping.json()["result"], json!({}));

    let session = site.session("2025-11-25").await;
    assert_eq!(session.ask(&list).await.status, 200);
    let delete = session.request("DELETE").body(String::new()).unwrap();
    assert_eq!(site.send(delete).await.status, 204);
    assert_eq!(session.ask(&list).await.status, 404);
    assert_eq!(session.listen(None).await.status(), 404);
    let delete = session.request("DELETE").body(String::new()).unwrap();
    assert_eq!(site.send(delete).await.status, 404);

    for id in ["0123456789abcdef0123456789abcdef", "x", "é"] {
        let mut request = plain(&site, &list);
        let id = http::HeaderValue::from_bytes(id.as_bytes()).unwrap();
        request.headers_mut().insert("mcp-session-id", id);
        assert_eq!(site.send(request).await.status, 404);
    }
}

#[tokio::test]
async fn get_and_delete_need_a_session() {
    let site = Site::open().await;
    for method in ["GET", "DELETE"] {
        let request = site.request(method).body(String::new()).unwrap();
        assert_eq!(site.send(request).await.status, 400, "{method}");
    }
}

#[tokio::test]
async fn a_version_that_is_not_served_is_refused() {
    let site = Site::open().await;
    let session = site.session("2025-06-18").await;
    let list = request(1, "tools/list", json!({}));
    for (version, status) in [("2025-03-26", 200), ("1999-01-01", 400), ("x", 400)] {
        let mut request = session.post(&list);
        let version = version.parse().unwrap();
        request
            .headers_mut()
            .insert("mcp-protocol-version", version);
        assert_eq!(site.send(request).await.status, status);
    }
    let mut request = session.post(&list);
    request.headers_mut().remove("mcp-protocol-version");
    assert_eq!(
        site.send(request).await.status,
        200,
        "the handshake has settled it"
    );
}

#[tokio::test]
async fn a_second_handshake_is_refused_and_the_session_goes_on() {
    let site = Site::open().await;
    let session = site.session("2025-06-18").await;
    let answer = session.ask(&initialize("2025-06-18")).await;
    assert_eq!(answer.error_code(), -32600);
    assert_eq!(session.ask(&call(1, "echo", json!({}))).await.status, 200);
}

#[tokio::test]
async fn a_call_is_cancelled_by_a_notification_not_by_a_lost_connection() {
    let mut site = Site::open().await;
    let mut response = site
        .session("2025-06-18")
        .await
        .start(&call(1, "tell_and_wait", json!({})))
        .await;
    read_until(&mut response, "notifications/progress").await;
    drop(response);
    let session = site.session("2025-06-18").await;
    let mut waiting = session.start(&call(1, "tell_and_wait", json!({}))).await;
    read_until(&mut waiting, "notifications/progress").await;
    let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 1}});
    assert_eq!(session.ask(&cancelled).await.status, 202);
    assert_eq!(read(waiting).await.body, "", "nothing more is sent");
    assert_eq!(site.events.recv().await, Some("dropped"));
    assert!(site.events.try_recv().is_err(), "the first call goes on");
}

/// Returns the notification that cancels the request `id`.
pub fn cancelled(id: impl Into<Value>) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": id.into()}})
}

#[tokio::test]
async fn a_cancellation_that_overtakes_its_call_has_effect_once() {
    let mut site = Site::open().await;
    let session = site.session("2025-06-18").await;
    for id in [json!(1), json!("a"), json!("x".repeat(10_000))] {
        for tool in ["silent", "echo"] {
            assert_eq!(session.ask(&cancelled(id.clone())).await.status, 202);
            let answer = session.ask(&call(id.clone(), tool, json!({}))).await;
            assert_eq!((answer.status.as_u16(), &*answer.body), (200, ""), "{tool}");
        }
    }
    let batch = site.session("2025-03-26").await;
    batch.ask(&cancelled(1)).await;
    let calls = json!([call(1, "silent", json!({})), call(2, "echo", json!({}))]);
    let answers = batch.ask(&calls).await.json();
    assert_eq!(
        (answers[0]["id"].as_i64(), &answers[1]),
        (Some(2), &Value::Null)
    );

    // The same id in another session, another id, and the same id a second time are served.
    session.ask(&cancelled(7)).await;
    let other = site.session("2025-06-18").await;
    for (session, id) in [
        (&other, json!(7)),
        (&session, json!("7")),
        (&session, json!(8)),
    ] {
        let answer = session.ask(&call(id, "echo", json!({}))).await;
        assert!(answer.json()["result"].is_object(), "{answer:?}");
    }
    assert_eq!(session.ask(&call(7, "echo", json!({}))).await.body, "");
    let answer = session.ask(&call(7, "echo", json!({}))).await;
    assert!(answer.json()["result"].is_object(), "{answer:?}");
    assert!(site.events.try_recv().is_err(), "a cancelled call was run");
}

#[tokio::test]
async fn an_id_in_flight_can_not_be_used_again() {
    let site = Site::open().await;
    let session = site.session("2025-06-18").await;
    let mut waiting = session.start(&call(1, "tell_and_wait", json!({}))).await;
    read_until(&mut waiting, "notifications/progress").await;
    let answer = session.ask(&call(1, "echo", json!({}))).await;
    assert_eq!(answer.error_code(), -32600);
    let other = site.session("2025-06-18").await;
    assert!(other.ask(&call(1, "echo", json!({}))).await.json()["result"].is_object());
}

#[tokio::test]
async fn calls_beyond_the_limit_are_refused_at_once() {
    let site = Site::with(HttpOptions::default().max_in_flight(1)).await;
    let session = site.session("2025-06-18").await;
    let mut waiting = session.start(&call(1, "tell_and_wait", json!({}))).await;
    read_until(&mut waiting, "notifications/progress").await;
    let answer = session.ask(&call(2, "soon", json!({}))).await;
    assert_eq!((answer.status.as_u16(), answer.error_code()), (429, -32603));
    assert_eq!(session.ask(&call(3, "echo", json!({}))).await.status, 200);
}

#[tokio::test]
async fn sessions_beyond_the_limit_are_refused_until_one_ends() {
    let site = Site::with(HttpOptions::default().max_sessions(1)).await;
    let session = site.session("2025-06-18").await;
    let answer = site.send(plain(&site, &initialize("2025-06-18"))).await;
    assert_eq!(answer.status, 503);
    let delete = session.request("DELETE").body(String::new()).unwrap();
    site.send(delete).await;
    site.session("2025-06-18").await;
}

#[tokio::test]
async fn a_session_that_nobody_uses_ends() {
    const IDLE: Duration = Duration::from_secs(60);
    let clock = Clock::stopped();
    let site = Site::with(HttpOptions::default().session_idle(IDLE)).await;
    let session = site.session("2025-06-18").await;
    let stream = session.listen(None).await;
    let unused = site.session("2025-06-18").await;
    for _ in 0..12 {
        clock.pass(IDLE / 4).await;
    }
    let list = request(1, "tools/list", json!({}));
    assert_eq!(unused.ask(&list).await.status, 404);
    assert_eq!(session.ask(&list).await.status, 200, "a stream is open");
    drop(stream);
}

#[tokio::test]
async fn batches_are_answered_together_where_the_revision_has_them() {
    let site = Site::open().await;
    let batch = json!([
        call(1, "echo", json!({})),
        {"jsonrpc": "2.0", "method": "notifications/unheard"},
        call(2, "soon", json!({})),
        initialize("2025-03-26"),
        {"jsonrpc": "1.0", "id": 3, "method": "ping"},
    ]);
    let session = site.session("2025-03-26").await;
    let answer = session.ask(&batch).await.json();
    let mut ids: Vec<_> = answer
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["id"].as_i64())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, [Some(0), Some(1), Some(2), Some(3)], "{answer}");
    let notifications = json!([{"jsonrpc": "2.0", "method": "notifications/unheard"}]);
    assert_eq!(session.ask(&notifications).await.status, 202);

    let session = site.session("2025-06-18").await;
    let answer = session.ask(&batch).await;
    assert_eq!((answer.status.as_u16(), answer.error_code()), (400, -32600));
    assert!(answer.body.contains("2025-06-18"), "{answer:?}");
}

#[tokio::test]
async fn a_server_can_do_without_sessions() {
    let site = Site::with(HttpOptions::default().without_sessions()).await;
    let answer = site.send(plain(&site, &initialize("2025-06-18"))).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("mcp-session-id"), None);
    let session = Session {
        site: &site,
        id: "whatever".to_owned(),
        revision: "2025-06-18".to_owned(),
    };
    let answer = session.ask(&call(1, "soon", json!({}))).await;
    assert_eq!(answer.json()["result"]["content"][0]["text"], "{}");
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(session.ask(&initialized).await.status, 202);
    assert_eq!(session.listen(None).await.status(), 405);
}

#[tokio::test]
async fn both_eras_are_served_at_one_url() {
    let site = Site::open().await;
    let session = site.session("2025-11-25").await;
    site.lives_on().await;
    assert_eq!(session.ask(&call(1, "echo", json!({}))).await.status, 200);
}

#[tokio::test]
async fn a_batch_whose_answers_are_too_long_is_not_served_to_its_end() {
    let site = Site::with(HttpOptions::default().max_unread_bytes(1000)).await;
    let session = site.session("2025-03-26").await;
    let text = json!({"text": "x".repeat(600)});
    let batch: Vec<_> = (1..5).map(|id| call(id, "echo", text.clone())).collect();
    let answers = session.ask(&json!(batch)).await.json();
    let codes: Vec<_> = (0..4)
        .map(|place| answers[place]["error"]["code"].as_i64())
        .collect();
    assert_eq!(codes, [None, None, Some(-32600), Some(-32600)], "{answers}");
    let text = answers[2]["error"]["message"].as_str().unwrap();
    assert!(text.contains("1000 bytes"), "{text}");
}
