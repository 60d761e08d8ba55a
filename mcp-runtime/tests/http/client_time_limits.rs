//! Every time limit and pause of the HTTP client, tested with a server that stalls.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, Request};
use mcp_runtime::BoxFuture;
use mcp_runtime::transport::http_client::{
    AfterChallenge, AuthHttp, AuthResult, Authenticator, Challenge, HttpUrl, RequestInfo,
    http_client,
};
use mcp_runtime::{CallError, Client, ClientBuilder, ConnectError, Era};
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::scripted::{Exchange, Script, Scripted};
use crate::support::clock::{Clock, until};

const SECOND: Duration = Duration::from_secs(1);
const STEP: Duration = Duration::from_millis(100);

fn builder() -> ClientBuilder {
    Client::builder("test", "1")
        .era(Era::Handshake)
        .without_keep_alive()
}

/// Connects while the clock is stopped.
async fn connect(url: HttpUrl) -> Client {
    finished(tokio::spawn(builder().connect(url)))
        .await
        .unwrap()
}

/// Waits for a task while the clock is stopped.
async fn finished<T>(task: JoinHandle<T>) -> T {
    until("the task has ended", || task.is_finished()).await;
    task.await.unwrap()
}

/// Waits until `server` has received the request `name`, then lets time pass until `future` is
/// done. Returns that time and the output.
async fn measured<F>(
    clock: &Clock,
    server: &Scripted,
    name: &str,
    future: F,
) -> (Duration, F::Output)
where
    F: Future<Output: Send> + Send + 'static,
{
    // Longer than any limit.
    let running = tokio::spawn(tokio::time::timeout(3600 * SECOND, future));
    until(name, || server.count(name) > 0).await;
    let begun = Instant::now();
    let output = clock.run_until(STEP, running).await.unwrap();
    let output = output.unwrap_or_else(|_| panic!("{name} has no time limit"));
    (begun.elapsed(), output)
}

async fn endpoint(clock: &Clock) -> Duration {
    let server = Scripted::new(|exchange| async {
        match &*exchange.verb {
            "GET" => exchange.stream(": no endpoint\n\n").await.hang().await,
            _ => exchange.reply(405, "", "").await,
        }
    });
    let server = server.await;
    let connecting = builder().connect(http_client(server.url()));
    let (waited, client) = measured(clock, &server, "GET", connecting).await;
    assert!(matches!(client, Err(ConnectError::Http(_))), "{client:?}");
    waited
}

/// An authenticator that asks an unresponsive server before each request.
struct Asking(String);

impl Authenticator for Asking {
    fn credentials(&self, _: RequestInfo, http: AuthHttp) -> BoxFuture<AuthResult<HeaderMap>> {
        let request = Request::get(&self.0).body(String::new()).unwrap();
        Box::pin(async move {
            http.send(request).await?;
            Ok(HeaderMap::new())
        })
    }

    fn challenged(
        &self,
        _: RequestInfo,
        _: Challenge,
        _: AuthHttp,
    ) -> BoxFuture<AuthResult<AfterChallenge>> {
        Box::pin(async { Ok(AfterChallenge::GiveUp) })
    }
}

async fn request_of_an_authenticator(clock: &Clock) -> Duration {
    let server = Scripted::new(Exchange::hang).await;
    let url = http_client(server.url()).auth(Asking(server.url()));
    let (waited, client) = measured(clock, &server, "GET", builder().connect(url)).await;
    let error = client.unwrap_err();
    assert!(
        matches!(error, ConnectError::Authentication(_)),
        "{error:?}"
    );
    waited
}

async fn close(clock: &Clock) -> Duration {
    let server = Scripted::new(|exchange| async {
        match &*exchange.verb {
            "DELETE" => exchange.hang().await,
            _ => drop(exchange.shake_hands().await),
        }
    });
    let server = server.await;
    let client = connect(http_client(server.url())).await;
    let closing = async move { client.close().await };
    measured(clock, &server, "DELETE", closing).await.0
}

async fn end_of_the_session(clock: &Clock) -> Duration {
    let server = Scripted::operating(|exchange| async {
        match exchange.tool() {
            "hangs" => exchange.hang().await,
            _ => exchange.reply(404, "", "").await,
        }
    });
    let server = server.await;
    let client = connect(http_client(server.url())).await;
    let hanging = client.call_tool("hangs", json!({})).into_future();
    let hanging = tokio::spawn(hanging);
    until("the call has come", || server.count("tools/call") == 1).await;
    let ended = client.call_tool("ended", json!({})).fail_fast();
    let ended = finished(tokio::spawn(ended.into_future())).await;
    assert!(matches!(ended, Err(CallError::SessionEnded)), "{ended:?}");
    let (waited, answer) = measured(clock, &server, "tools/call", hanging).await;
    let answer = answer.unwrap();
    assert!(
        matches!(answer, Err(CallError::Lost(_) | CallError::Closed)),
        "{answer:?}"
    );
    waited
}

async fn notification(clock: &Clock) -> Duration {
    let name = "notifications/initialized";
    let server = Scripted::new(move |exchange| async move {
        if exchange.name() == name {
            return exchange.hang().await;
        }
        if let Some(exchange) = exchange.shake_hands().await {
            exchange.say("5").await;
        }
    });
    let server = server.await;
    let client = connect(http_client(server.url())).await;
    let call = client.call_tool("x", json!({})).timeout(600 * SECOND);
    let (waited, answer) = measured(clock, &server, name, call.into_future()).await;
    answer.unwrap();
    waited
}

async fn resumption(clock: &Clock) -> Duration {
    let called = std::sync::Mutex::new(json!(null));
    let server = Scripted::new(move |exchange| {
        let resumed = exchange.headers.contains_key("last-event-id");
        if exchange.name() == "tools/call" {
            *called.lock().unwrap() = exchange.message["id"].clone();
        }
        let called = called.lock().unwrap().clone();
        async move {
            if resumed {
                let answer = json!({"jsonrpc": "2.0", "id": called, "result": {"content": []}});
                exchange.stream(&format!("data: {answer}\n\n")).await;
            } else if let Some(exchange) = exchange.shake_hands().await {
                exchange.stream("id: 1\ndata:\n\n").await;
            }
        }
    });
    let server = server.await;
    let client = connect(http_client(server.url())).await;
    let call = client.call_tool("x", json!({})).timeout(600 * SECOND);
    let (waited, answer) = measured(clock, &server, "tools/call", call.into_future()).await;
    answer.unwrap();
    waited
}

async fn stream_of_the_session(clock: &Clock) -> Duration {
    let server = Scripted::new(|exchange| async {
        match &*exchange.verb {
            "GET" => drop(exchange.stream("id: 1\ndata:\n\n").await),
            _ => drop(exchange.shake_hands().await),
        }
    });
    let server = server.await;
    let _client = connect(http_client(server.url())).await;
    until("the stream was opened", || server.count("GET") == 1).await;
    let begun = Instant::now();
    clock.run_until(STEP, server.seen_often("GET", 2)).await;
    begun.elapsed()
}

async fn repetition(clock: &Clock) -> Duration {
    let answers = Script::new([503, 200]);
    let server = Scripted::operating(move |exchange| {
        let status = answers.next();
        async move {
            match status {
                200 => exchange.say("5").await,
                _ => exchange.reply(status, "retry-after: 7\r\n", "").await,
            }
        }
    });
    let server = server.await;
    let client = connect(http_client(server.url())).await;
    let call = client.call_tool("x", json!({})).timeout(600 * SECOND);
    let (waited, answer) = measured(clock, &server, "tools/call", call.into_future()).await;
    answer.unwrap();
    waited
}

/// Counts the calls of timer functions in each source file of the client.
fn places() -> BTreeMap<String, usize> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/transport/http/client");
    let files = std::fs::read_dir(folder).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let waits = |line: &&str| {
        let words = [
            "timeout(",
            "timeout_at(",
            "sleep(",
            "sleep_until(",
            "interval(",
        ];
        let is_call = |(at, _): (usize, &str)| !line[..at].ends_with(['_', '.']);
        let mut calls = words.iter().flat_map(|word| line.match_indices(word));
        !line.trim_start().starts_with("//") && calls.any(is_call)
    };
    let found = files.map(|path| {
        let source = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, source.lines().filter(waits).count())
    });
    found.filter(|(_, places)| *places > 0).collect()
}

#[tokio::test]
async fn each_time_limit_of_the_client_ends_what_it_is_for() {
    let clock = &Clock::stopped();
    // Each row has the file, the expected time, whether the server must answer afterwards, and the
    // measured time.
    let rows = [
        ("legacy.rs", 10 * SECOND, false, endpoint(clock).await),
        (
            "authenticator.rs",
            30 * SECOND,
            false,
            request_of_an_authenticator(clock).await,
        ),
        ("connection.rs", 2 * SECOND, false, close(clock).await),
        (
            "connection.rs",
            SECOND / 2,
            false,
            end_of_the_session(clock).await,
        ),
        ("response.rs", 60 * SECOND, true, notification(clock).await),
        ("response.rs", SECOND, true, resumption(clock).await),
        (
            "response.rs",
            SECOND,
            true,
            stream_of_the_session(clock).await,
        ),
        ("remote.rs", 7 * SECOND, true, repetition(clock).await),
    ];
    for (file, time, answers, waited) in rows {
        // While sockets become ready, the clock goes on.
        let late = if answers { 30 * SECOND } else { SECOND };
        let expected = time..=time + late;
        assert!(
            expected.contains(&waited),
            "{file}: {waited:?}, not {time:?}"
        );
    }
    let mut covered = BTreeMap::new();
    for (file, ..) in rows {
        *covered.entry(file.to_owned()).or_insert(0) += 1;
    }
    assert_eq!(covered, places(), "a time limit without a row above");
}

/// Returns the beginning of an answer whose body never arrives.
fn head(status: u16, headers: &str) -> String {
    format!("HTTP/1.1 {status} Status\r\n{headers}content-length: 100\r\n\r\n{{")
}

/// Stalls in the way that the tool's name says, and counts the stalls.
async fn stall(mut exchange: Exchange, stalled: &watch::Sender<usize>) {
    let json = "content-type: application/json\r\n";
    match exchange.tool() {
        "echo" => return exchange.say("5").await,
        "body" => exchange.event(&head(200, json)).await,
        "error" => exchange.event(&head(500, json)).await,
        "challenge" => exchange.event(&head(401, "")).await,
        "redirect" if exchange.target == "/mcp" => {
            return exchange.reply(307, "location: /there\r\n", "").await;
        }
        "stream" => exchange = exchange.stream("data: 7\n\ndata: {").await,
        "resumption" => return drop(exchange.stream("retry: 0\nid: 1\ndata:\n\n").await),
        _ => {}
    }
    stalled.send_modify(|stalled| *stalled += 1);
    exchange.hang().await;
}

#[tokio::test]
async fn the_time_limit_of_a_call_ends_it_wherever_the_server_stalls() {
    const LIMIT: Duration = Duration::from_secs(3600);
    let stalled = Arc::new(watch::Sender::new(0));
    let stalls = Arc::clone(&stalled);
    let server = Scripted::new(move |exchange| {
        let stalls = Arc::clone(&stalls);
        async move {
            if exchange.target == "/asked" {
                exchange.reply(200, "", "").await;
            } else if exchange.headers.contains_key("last-event-id") {
                stall(exchange, &stalls).await;
            } else if let Some(exchange) = exchange.shake_hands().await {
                stall(exchange, &stalls).await;
            }
        }
    });
    let server = server.await;
    let clock = Clock::stopped();
    let url = http_client(server.url()).auth(Asking(format!("http://{}/asked", server.addr)));
    let client = connect(url).await;
    let tools = [
        "head",
        "body",
        "error",
        "challenge",
        "redirect",
        "stream",
        "resumption",
    ];
    for (before, tool) in tools.into_iter().enumerate() {
        let call = client.call_tool(tool, json!({})).timeout(LIMIT);
        let call = tokio::spawn(call.into_future());
        let mut stalls = stalled.subscribe();
        let reached = stalls.wait_for(|stalled| *stalled > before);
        clock.run_until(STEP, reached).await.unwrap();
        assert!(!call.is_finished(), "{tool}");
        let answer = clock.run_until(60 * SECOND, call).await.unwrap();
        let Err(CallError::Timeout { waited, .. }) = answer else {
            panic!("{tool}: {answer:?}")
        };
        let expected = LIMIT..=LIMIT + 60 * SECOND;
        assert!(expected.contains(&waited), "{tool}: {waited:?}");
        let echo = client.call_tool("echo", json!({})).into_future();
        finished(tokio::spawn(echo)).await.unwrap();
    }
}
