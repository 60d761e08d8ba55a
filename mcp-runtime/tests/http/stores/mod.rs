//! Sessions that are served by several processes.

#[allow(dead_code)]
mod bus;
mod faults;
mod replicas;
mod shared;

use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_runtime::store::KeyValue as _;
use mcp_runtime::transport::http::HttpOptions;
use serde_json::{Value, json};

use self::shared::{Shared, elsewhere, twins};
use crate::site::{Session, Site, read, read_until};
use crate::streams::with_roots;
use crate::support::clock::{Clock, in_time, until};
use crate::support::{builder, call, initialize, request};

#[tokio::test]
async fn a_session_goes_on_at_another_server() {
    let (one, other) = twins().await;
    let here = one.session("2025-11-25").await;
    let there = elsewhere(&here, &other);
    for session in [&there, &here, &there] {
        let answer = session.ask(&call(1, "soon", json!({}))).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    let delete = there.request("DELETE").body(String::new()).unwrap();
    assert_eq!(other.send(delete).await.status, 204);
    for session in [&there, &here] {
        let answer = session.ask(&call(2, "echo", json!({}))).await;
        assert_eq!(answer.status, 404, "{answer:?}");
    }
}

/// Sends `initialize` to `site` without completing the handshake, and returns the session.
async fn opening(site: &Site) -> Session<'_> {
    let open = site.request("POST");
    let open = open.header("content-type", "application/json");
    let hello = initialize("2025-11-25").to_string();
    let opened = site.send(open.body(hello).unwrap()).await;
    Session {
        site,
        id: opened.header("mcp-session-id").unwrap().to_owned(),
        revision: "2025-11-25".to_owned(),
    }
}

#[tokio::test]
async fn a_handshake_is_completed_at_another_server() {
    let (sites, initialized) = hooked(&Shared::default(), 3);
    let [one, other, third] = &*sites else {
        unreachable!()
    };
    let here = opening(one).await;
    let early = here.ask(&request(1, "tools/list", json!({}))).await;
    assert!(early.body.contains("initialized"), "{early:?}");
    let there = elsewhere(&here, other);
    let complete: Value = serde_json::from_str(INITIALIZED).unwrap();
    assert_eq!(there.ask(&complete).await.status, 202);
    for site in [one, third, other] {
        let session = elsewhere(&here, site);
        // A client may repeat the notification if it got no answer.
        assert_eq!(session.ask(&complete).await.status, 202);
        let answer = session.ask(&request(1, "tools/list", json!({}))).await;
        assert!(answer.body.contains("inputSchema"), "{answer:?}");
    }
    assert_eq!(initialized.load(Ordering::Relaxed), 1);
}

/// Returns servers that share a store, and the number of handshakes that their hooks have heard of.
fn hooked(store: &Shared, servers: usize) -> (Vec<Site>, Arc<AtomicUsize>) {
    let heard = Arc::new(AtomicUsize::new(0));
    let site = || {
        let heard = Arc::clone(&heard);
        let mut server = builder();
        server.on_initialized(move |_| {
            heard.fetch_add(1, Ordering::Relaxed);
            ready(())
        });
        let options = HttpOptions::default().store(store.clone());
        Site::of_with(&server.build(), options)
    };
    let sites = (0..servers).map(|_| site()).collect();
    (sites, heard)
}

const INITIALIZED: &str = r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#;

#[tokio::test]
async fn a_handshake_that_is_completed_at_two_servers_at_once_is_heard_of_once() {
    let store = Shared::default();
    let (sites, heard) = hooked(&store, 2);
    let here = opening(&sites[0]).await;
    // Both servers know the session before one of them stores the end of the handshake.
    let there = elsewhere(&here, &sites[1]);
    let ping = request(1, "ping", json!({}));
    assert_eq!(there.ask(&ping).await.status, 200);
    *store.delay.lock().unwrap() = Duration::from_millis(20);
    let complete: Value = serde_json::from_str(INITIALIZED).unwrap();
    let answers = tokio::join!(here.ask(&complete), there.ask(&complete));
    assert_eq!(
        (answers.0.status.as_u16(), answers.1.status.as_u16()),
        (202, 202)
    );
    for session in [&here, &there] {
        let answer = session.ask(&request(2, "tools/list", json!({}))).await;
        assert!(answer.body.contains("inputSchema"), "{answer:?}");
    }
    assert_eq!(heard.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn the_end_of_a_handshake_is_stored_once_the_store_works_again() {
    let store = Shared::default();
    let (sites, heard) = hooked(&store, 2);
    let here = opening(&sites[0]).await;
    store.fail("update");
    let complete: Value = serde_json::from_str(INITIALIZED).unwrap();
    assert_eq!(here.ask(&complete).await.status, 503);
    assert_eq!(heard.load(Ordering::Relaxed), 0);
    store.fail("nothing");
    for site in [&sites[0], &sites[1]] {
        let list = request(2, "tools/list", json!({}));
        let answer = elsewhere(&here, site).ask(&list).await;
        assert!(answer.body.contains("inputSchema"), "{answer:?}");
    }
    assert_eq!(heard.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_stream_ends_after_its_session_has_ended_at_another_server() {
    let clock = Clock::stopped();
    let (one, other) = twins().await;
    let here = one.session("2025-11-25").await;
    let stream = here.listen(None).await;
    let there = elsewhere(&here, &other);
    let delete = there.request("DELETE").body(String::new()).unwrap();
    assert_eq!(other.send(delete).await.status, 204);
    // Without a bus, the server looks for the session once a minute.
    let ended = clock.run_until(Duration::from_secs(10), read(stream));
    let ended = tokio::time::timeout(Duration::from_secs(600), ended).await;
    assert!(ended.is_ok());
}

#[tokio::test]
async fn a_session_outlives_the_server_that_opened_it() {
    let (one, other) = twins().await;
    let here = one.session("2025-11-25").await;
    let there = elsewhere(&here, &other);
    one.shutdown.shut_down();
    in_time(one.serving).await.unwrap().unwrap();
    let answer = there.ask(&call(1, "soon", json!({}))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[tokio::test]
async fn changes_of_one_session_at_many_servers_are_all_kept() {
    let store = Shared::default();
    let mut sites = Vec::new();
    for _ in 0..8 {
        sites.push(store.site().await);
    }
    let here = sites[0].session("2025-11-25").await;
    let sessions: Vec<_> = sites.iter().map(|site| elsewhere(&here, site)).collect();
    *store.delay.lock().unwrap() = Duration::from_millis(10);
    let uris = [
        "test://watched",
        "TEST://watched",
        "test://watche%64",
        "test://%77atched",
    ];
    let edits = sessions
        .iter()
        .enumerate()
        .map(|(number, session)| async move {
            match uris.get(number) {
                Some(uri) => agrees(session, "resources/subscribe", json!({"uri": uri})).await,
                None => agrees(session, "logging/setLevel", json!({"level": "error"})).await,
            }
        });
    in_time(futures_util::future::join_all(edits)).await;

    let stored = store.values.get(&format!("session:{}", here.id), None);
    let stored = stored.await.unwrap().unwrap().value;
    let stored: Value = serde_json::from_slice(&stored).unwrap();
    let mut subscribed: Vec<_> = stored["state"]["resources"]
        .as_array()
        .unwrap()
        .iter()
        .collect();
    subscribed.sort_by_key(|uri| uri.as_str());
    let mut expected = uris.to_vec();
    expected.sort_unstable();
    assert_eq!(json!(subscribed), json!(expected));
    assert_eq!(stored["state"]["logLevel"], "error");
}

#[tokio::test]
async fn a_stream_is_resumed_at_another_server() {
    let (one, other) = twins().await;
    let here = one.session("2025-11-25").await;
    let mut stream = here.start(&call(1, "tell_and_wait", json!({}))).await;
    let events = read_until(&mut stream, "notifications/progress").await;
    drop(stream);
    let first = events.lines().find_map(|line| line.strip_prefix("id: "));
    let there = elsewhere(&here, &other);
    let mut resumed = there.listen(first).await;
    assert_eq!(resumed.status(), 200);
    read_until(&mut resumed, "notifications/progress").await;

    // Streams that begin at the other server have different ids.
    let mut stream = there.start(&call(2, "tell_and_wait", json!({}))).await;
    let begun = read_until(&mut stream, "notifications/progress").await;
    let ids = |events: &str| -> Vec<String> {
        let ids = events.lines().filter_map(|line| line.strip_prefix("id: "));
        ids.map(str::to_owned).collect()
    };
    for id in ids(&begun) {
        assert!(!ids(&events).contains(&id), "{id}");
    }
}

/// Calls a tool that requests the roots, and returns the stream and the id of that request.
async fn asked(session: &Session<'_>) -> (http::Response<hyper::body::Incoming>, i64) {
    let mut stream = session.start(&call(1, "roots", json!({}))).await;
    let events = read_until(&mut stream, "roots/list").await;
    let question = events.lines().find_map(|line| line.strip_prefix("data: {"));
    let question: Value = serde_json::from_str(&format!("{{{}", question.unwrap())).unwrap();
    (stream, question["id"].as_i64().unwrap())
}

#[tokio::test]
async fn an_answer_to_one_server_settles_no_question_of_another() {
    let (one, other) = twins().await;
    let hello = with_roots("2025-11-25");
    let here = one.session_of(&hello, "2025-11-25").await;
    let there = elsewhere(&here, &other);
    let (here_asked, here_id) = asked(&here).await;
    let (there_asked, there_id) = asked(&there).await;
    assert_ne!(here_id, there_id);
    for id in [here_id, there_id] {
        assert!((0..1 << 53).contains(&id), "{id}");
    }
    let answer = |id: i64, uri: &str| json!({"jsonrpc": "2.0", "id": id, "result": {"roots": [{"uri": uri}]}});
    // An answer that arrives at the wrong server is ignored.
    let wrong = answer(there_id, "file:///wrong");
    assert_eq!(here.ask(&wrong).await.status, 202);
    for (session, stream, id) in [
        (&here, here_asked, here_id),
        (&there, there_asked, there_id),
    ] {
        let right = answer(id, "file:///right");
        assert_eq!(session.ask(&right).await.status, 202);
        let rest = read(stream).await;
        assert!(rest.body.contains("file:///right"), "{rest:?}");
    }
}

#[tokio::test]
async fn sessions_of_one_server_ask_under_different_ids() {
    let site = Site::open().await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        let session = site
            .session_of(&with_roots("2025-11-25"), "2025-11-25")
            .await;
        ids.push(asked(&session).await.1);
    }
    ids.dedup();
    assert_eq!(ids.len(), 3, "{ids:?}");
}

async fn agrees(session: &Session<'_>, method: &str, params: serde_json::Value) {
    let answer = session.ask(&request(9, method, params)).await;
    assert_eq!(answer.json()["result"], json!({}), "{method}: {answer:?}");
}

/// Checks that the session gets updates of its resources, but no log messages.
async fn hears_of_changes_only(there: &Session<'_>) {
    let mut stream = there.listen(None).await;
    there.ask(&call(1, "change", json!({}))).await;
    in_time(read_until(&mut stream, "notifications/resources/updated")).await;
    let quiet = there.ask(&call(2, "work", json!({}))).await;
    assert!(!quiet.body.contains("notifications/message"), "{quiet:?}");
}

#[tokio::test]
async fn what_a_client_wants_to_be_told_is_known_at_another_server() {
    let (one, other) = twins().await;
    let here = one.session("2025-11-25").await;
    let watched = || json!({"uri": "test://watched"});
    agrees(&here, "logging/setLevel", json!({"level": "error"})).await;
    agrees(&here, "resources/subscribe", watched()).await;

    let there = elsewhere(&here, &other);
    hears_of_changes_only(&there).await;

    agrees(&there, "logging/setLevel", json!({"level": "info"})).await;
    agrees(&there, "resources/unsubscribe", watched()).await;
    let told = here.ask(&call(3, "work", json!({}))).await;
    assert!(told.body.contains("notifications/message"), "{told:?}");
    let mut stream = here.listen(None).await;
    for id in [4, 5] {
        here.ask(&call(id, "change", json!({}))).await;
        let told = read_until(&mut stream, "tools/list_changed").await;
        assert!(!told.contains("resources/updated"), "{told}");
    }
}

#[tokio::test]
async fn what_a_client_wants_at_the_same_time_is_all_kept() {
    let store = Shared::default();
    let one = store.site().await;
    let other = store.site().await;
    let here = one.session("2025-11-25").await;
    *store.delay.lock().unwrap() = Duration::from_millis(100);
    let level = agrees(&here, "logging/setLevel", json!({"level": "error"}));
    let subscribed = async {
        until("the level is stored", || store.called("update") == 1).await;
        let watched = json!({"uri": "test://watched"});
        agrees(&here, "resources/subscribe", watched).await;
    };
    tokio::join!(level, subscribed);

    let there = elsewhere(&here, &other);
    hears_of_changes_only(&there).await;
}

#[tokio::test]
async fn events_are_stored_in_their_order_however_long_each_takes() {
    let store = Shared::default();
    *store.delay.lock().unwrap() = Duration::from_millis(100);
    let site = store.site().await;
    let session = site.session("2025-11-25").await;
    let mut message = call(1, "work", json!({}));
    message["params"]["_meta"] = json!({"progressToken": "t"});
    let mut stream = session.start(&message).await;
    let sent = read_until(&mut stream, "\"id\":1").await;
    let resumed = read(session.listen(Some("2-0")).await).await;
    let ids = |events: &str| -> Vec<String> {
        let ids = events.lines().filter_map(|line| line.strip_prefix("id: "));
        ids.map(str::to_owned).collect()
    };
    assert!(ids(&sent).len() > 3, "{sent}");
    assert_eq!(ids(&resumed.body), ids(&sent)[1..], "{resumed:?}");
}
