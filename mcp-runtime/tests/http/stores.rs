//! Sessions that several processes serve.

use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use mcp_runtime::transport::http::{
    EventStore, HttpOptions, MemoryEventStore, MemorySessionStore, Principal, SessionId,
    SessionRecord, SessionStore, StoreError, StoredEvent,
};
use serde_json::{Value, json};

use crate::site::{Answer, Session, Site, read, read_until};
use crate::streams::with_roots;
use crate::support::clock::{Clock, in_time, until};
use crate::support::{call, initialize, request};

type Stored<T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send>>;

/// The fault of one method of a store.
#[derive(Clone, Copy, Default, PartialEq)]
enum Fault {
    #[default]
    None,
    /// It fails.
    Fails,
    /// It fails until it was called so often.
    FailsUntil(usize),
    /// It fails from this call on, counted from 1.
    FailsFrom(usize),
    /// It does what it should, but never says so: the connection was lost.
    LosesAnswers,
    /// It never ends, and does nothing.
    Stalls,
}

/// Stores in memory that several servers share. One of their methods may have a fault.
#[derive(Clone, Default)]
struct Shared {
    sessions: MemorySessionStore,
    events: Arc<MemoryEventStore>,
    failing: Arc<Mutex<(&'static str, Fault)>>,
    /// Methods that were called.
    calls: Arc<Mutex<Vec<&'static str>>>,
    /// How long each event takes to be stored; then the next one takes half of that.
    delay: Arc<Mutex<Duration>>,
}

impl Shared {
    async fn site(&self) -> Site {
        let options = HttpOptions::default().session_store(self.clone());
        Site::with(options.event_store(self.clone())).await
    }

    fn fail(&self, method: &'static str) {
        *self.failing.lock().unwrap() = (method, Fault::Fails);
    }

    /// Gives a method a fault. Calls are counted from now on.
    fn fail_as(&self, method: &'static str, fault: Fault) {
        self.calls.lock().unwrap().clear();
        *self.failing.lock().unwrap() = (method, fault);
    }

    fn called(&self, method: &str) -> usize {
        let calls = self.calls.lock().unwrap();
        calls.iter().filter(|called| **called == method).count()
    }

    fn check<T: Send + 'static>(&self, method: &'static str, stored: Stored<T>) -> Stored<T> {
        self.calls.lock().unwrap().push(method);
        let (failing, fault) = *self.failing.lock().unwrap();
        let fault = if failing == method {
            fault
        } else {
            Fault::None
        };
        let unplugged = || StoreError::Unavailable("unplugged".into());
        let calls = self.called(method);
        match fault {
            Fault::FailsUntil(last) if calls >= last => stored,
            Fault::FailsFrom(first) if calls < first => stored,
            Fault::None => stored,
            Fault::Fails | Fault::FailsUntil(_) | Fault::FailsFrom(_) => {
                Box::pin(ready(Err(unplugged())))
            }
            Fault::LosesAnswers => Box::pin(async move { stored.await.and(Err(unplugged())) }),
            Fault::Stalls => Box::pin(std::future::pending()),
        }
    }
}

impl SessionStore for Shared {
    fn insert(&self, id: SessionId, record: SessionRecord, idle: Duration) -> Stored<()> {
        self.check("insert", self.sessions.insert(id, record, idle))
    }

    fn find(&self, id: SessionId) -> Stored<Option<SessionRecord>> {
        self.check("find", self.sessions.find(id))
    }

    fn renew(&self, id: SessionId, idle: Duration) -> Stored<Option<Bytes>> {
        self.check("renew", self.sessions.renew(id, idle))
    }

    fn set_state(&self, id: SessionId, state: Bytes) -> Stored<()> {
        let sessions = self.sessions.clone();
        let time = *self.delay.lock().unwrap();
        let stored = Box::pin(async move {
            tokio::time::sleep(time).await;
            sessions.set_state(id, state).await
        });
        self.check("set_state", stored)
    }

    fn remove(&self, id: SessionId) -> Stored<()> {
        let sessions = self.sessions.clone();
        let removed = Box::pin(async move { sessions.remove(id).await });
        self.check("remove", removed)
    }
}

impl EventStore for Shared {
    fn append(&self, session: SessionId, event: StoredEvent) -> Stored<()> {
        let failing = *self.failing.lock().unwrap();
        assert_ne!(failing.0, "panic");
        let events = Arc::clone(&self.events);
        let delay = Arc::clone(&self.delay);
        let stored = Box::pin(async move {
            let time = *delay.lock().unwrap();
            if !time.is_zero() {
                *delay.lock().unwrap() = time / 2;
                tokio::time::sleep(time).await;
            }
            events.append(session, event).await
        });
        self.check("append", stored)
    }

    fn replay(&self, session: SessionId, stream: u64, after: u64) -> Stored<Vec<StoredEvent>> {
        self.check("replay", self.events.replay(session, stream, after))
    }

    fn forget(&self, session: SessionId) -> Stored<()> {
        let events = Arc::clone(&self.events);
        let forgotten = Box::pin(async move { events.forget(session).await });
        self.check("forget", forgotten)
    }
}

/// Two servers that keep their sessions in one place.
async fn twins() -> (Site, Site) {
    let shared = Shared::default();
    (shared.site().await, shared.site().await)
}

/// The same session, at another server.
fn elsewhere<'a>(session: &Session<'_>, site: &'a Site) -> Session<'a> {
    Session {
        site,
        id: session.id.clone(),
        revision: session.revision.clone(),
    }
}

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

    // What begins there has ids of its own.
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

/// Calls a tool that asks for roots, and returns the stream and the id of the question.
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
    // What was asked there is answered here, which settles nothing.
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

/// Tests that the session gets updates of what it watches, and no messages of the log.
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
        until("the level is stored", || store.called("set_state") == 1).await;
        let watched = json!({"uri": "test://watched"});
        agrees(&here, "resources/subscribe", watched).await;
    };
    tokio::join!(level, subscribed);

    let there = elsewhere(&here, &other);
    hears_of_changes_only(&there).await;
}

/// A store that has kept a session of somebody else, and has no room for others.
struct Strange(SessionId);

impl SessionStore for Strange {
    fn insert(&self, _: SessionId, _: SessionRecord, _: Duration) -> Stored<()> {
        Box::pin(ready(Err(StoreError::Full)))
    }

    fn find(&self, id: SessionId) -> Stored<Option<SessionRecord>> {
        let params = initialize("2025-06-18")["params"].to_string();
        let record = SessionRecord::new(Some(Principal::new("ann")), params);
        Box::pin(ready(Ok((id == self.0).then_some(record))))
    }

    fn renew(&self, _: SessionId, _: Duration) -> Stored<Option<Bytes>> {
        Box::pin(ready(Ok(Some(Bytes::new()))))
    }

    fn set_state(&self, _: SessionId, _: Bytes) -> Stored<()> {
        Box::pin(ready(Ok(())))
    }

    fn remove(&self, _: SessionId) -> Stored<()> {
        Box::pin(ready(Ok(())))
    }
}

#[tokio::test]
async fn a_store_without_room_refuses_and_one_with_others_sessions_does_not_tell() {
    let id = SessionId::new(7);
    let site = Site::with(HttpOptions::default().session_store(Strange(id))).await;
    let open = site
        .request("POST")
        .header("content-type", "application/json")
        .body(initialize("2025-06-18").to_string())
        .unwrap();
    assert_eq!(site.send(open).await.status, 503);
    let session = Session {
        site: &site,
        id: id.to_string(),
        revision: "2025-06-18".to_owned(),
    };
    let answer = session.ask(&call(1, "echo", json!({}))).await;
    assert_eq!(answer.status, 404, "{answer:?}");
    site.lives_on().await;
}

/// Asserts that a request was answered as one that may be sent again later.
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
        ("insert", &site, 200, &open as &dyn Fn() -> _),
        ("renew", &site, 200, &|| session.post(&plain)),
        ("find", &other, 200, &|| there.post(&plain)),
        ("set_state", &site, 200, &|| session.post(&level)),
        ("remove", &other, 204, &|| delete(&there)),
    ] {
        store.fail(method);
        assert_unavailable(&at.send(request()).await, method);
        store.fail("nothing");
        if method == "set_state" {
            // The client was not told that it is set.
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

/// Each method of a store that a request waits for, with a request that calls it first, and the status
/// of its answer if the store works.
fn waiting(
    session: &Session<'_>,
    there: &Session<'_>,
    method: &str,
) -> (http::Request<String>, u16) {
    let open = session.site.request("POST");
    let open = open.header("content-type", "application/json");
    match method {
        "insert" => (
            open.body(initialize("2025-11-25").to_string()).unwrap(),
            200,
        ),
        "renew" => (session.post(&call(1, "echo", json!({}))), 200),
        "find" => (there.post(&call(1, "echo", json!({}))), 200),
        "set_state" => {
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

const METHODS: [&str; 6] = ["insert", "renew", "find", "set_state", "replay", "remove"];

#[tokio::test]
async fn each_fault_of_a_store_is_a_clear_error_and_ends_with_it() {
    for method in METHODS {
        for fault in [Fault::Fails, Fault::FailsUntil(2), Fault::LosesAnswers] {
            let store = Shared::default();
            let site = store.site().await;
            let other = store.site().await;
            let session = site.session("2025-11-25").await;
            let there = elsewhere(&session, &other);
            session.ask(&call(1, "tell", json!({}))).await;
            store.fail_as(method, fault);
            let at = if method == "find" { &other } else { &site };
            let (message, _) = waiting(&session, &there, method);
            assert_unavailable(&in_time(at.send(message)).await, method);
            if fault != Fault::FailsUntil(2) {
                store.fail("nothing");
            }
            let (message, mut expected) = waiting(&session, &there, method);
            // It was removed, although the store did not say so.
            if (method, fault) == ("remove", Fault::LosesAnswers) {
                expected = 404;
            }
            let answer = in_time(at.start(message)).await;
            assert_eq!(answer.status().as_u16(), expected, "{method}");
        }
    }
}

#[tokio::test]
async fn a_session_goes_on_until_its_store_fails_and_after_it() {
    let store = Shared::default();
    let site = store.site().await;
    let session = site.session("2025-11-25").await;
    store.fail_as("renew", Fault::FailsFrom(3));
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
        let other = store.site().await;
        let session = site.session("2025-11-25").await;
        let there = elsewhere(&session, &other);
        session.ask(&call(1, "tell", json!({}))).await;
        store.fail_as(method, Fault::Stalls);
        let (message, _) = match method {
            "append" => (session.post(&call(2, "tell", json!({}))), 200),
            _ => waiting(&session, &there, method),
        };
        let at = if method == "find" { other } else { site };
        let stalled = at.connect().await.send_request(message);
        let stalled = tokio::spawn(stalled);
        until("the store is called", || store.called(method) == 1).await;
        in_time(at.lives_on()).await;
        if ["append", "forget"].contains(&method) {
            in_time(stalled).await.unwrap().unwrap();
        } else {
            assert!(!stalled.is_finished(), "{method}");
        }
        at.shutdown.shut_down();
        let serving = clock.run_until(Duration::from_secs(1), at.serving);
        in_time(serving).await.unwrap().unwrap();
    }
}
