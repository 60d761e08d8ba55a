//! Streams end together with their caller's access, with an error that says so.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use http::request::Parts;
use http::{Request, Response};
use http_body::Body as _;
use mcp_runtime::server::tools::ToolBuilder;
use mcp_runtime::transport::http::{
    AccessDenied, AccessExpires, AccessPolicy, AccessRevalidation, HttpOptions, HttpService,
    ResponseBody,
};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::Instant;
use tower_service::Service as _;

use crate::support::mounted::mounted;
use crate::support::{call, initialize, stateless};

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

/// Grants access for the number of seconds in the header `seconds`. The header `checks` has a
/// letter for each check of the access, which comes a minute after the previous one: y grants
/// access, n denies it, u fails, p panics, and s never ends.
struct Until;

impl AccessPolicy for Until {
    async fn admit(&self, request: &mut Parts) -> Result<(), AccessDenied> {
        if let Some(seconds) = request.headers.get("seconds") {
            let seconds = seconds.to_str().unwrap().parse().unwrap();
            let end = SystemTime::now() + Duration::from_secs(seconds);
            request.extensions.insert(AccessExpires(end));
        }
        if let Some(checks) = request.headers.get("checks") {
            let checks = checks.as_bytes().to_vec().into_iter();
            let checks = Arc::new(Mutex::new(checks));
            let check = move || check(checks.lock().unwrap().next().unwrap());
            let revalidation = AccessRevalidation::new(in_a_minute(), check);
            request.extensions.insert(revalidation);
        }
        Ok(())
    }
}

fn in_a_minute() -> std::time::Instant {
    (Instant::now() + MINUTE).into_std()
}

async fn check(letter: u8) -> Result<std::time::Instant, AccessDenied> {
    match letter {
        b'y' => Ok(in_a_minute()),
        b'n' => Err(AccessDenied::forbidden()),
        b'u' => Err(AccessDenied::unavailable(Duration::ZERO)),
        b's' => std::future::pending().await,
        _ => panic!("a fault of the policy"),
    }
}

async fn service() -> (HttpService, UnboundedReceiver<&'static str>) {
    let (server, events) = crate::site::server();
    let mut outer = mcp_runtime::Server::builder();
    // This tool takes ten seconds.
    let slow = ToolBuilder::new("slow").arguments(());
    outer
        .mount("", &server)
        .tool(slow.call_async(|(), _| async {
            tokio::time::sleep(Duration::from_secs(10)).await;
            "done"
        }));
    let options = HttpOptions::default().auth(Until);
    (mounted(outer.build(), options).await, events)
}

fn post(message: &Value) -> http::request::Builder {
    let request = Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json");
    let Some(meta) = message["params"].get("_meta") else {
        return request;
    };
    let request = request
        .header(
            "mcp-protocol-version",
            meta["io.modelcontextprotocol/protocolVersion"]
                .as_str()
                .unwrap(),
        )
        .header("mcp-method", message["method"].as_str().unwrap());
    match message["params"]["name"].as_str() {
        Some(name) => request.header("mcp-name", name),
        None => request,
    }
}

async fn send(
    service: &HttpService,
    request: http::request::Builder,
    body: &Value,
) -> Response<ResponseBody> {
    let request = request.body(body.to_string()).unwrap();
    service.clone().call(request).await.unwrap()
}

/// Returns the rest of a body, and the time until its end.
async fn rest(response: Response<ResponseBody>) -> (String, Duration) {
    let begun = Instant::now();
    let mut body = response.into_body();
    let mut text = String::new();
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let data = frame.unwrap().into_data().unwrap();
        text.push_str(std::str::from_utf8(&data).unwrap());
        assert!(begun.elapsed() < 3 * HOUR, "{text}");
    }
    (text, begun.elapsed())
}

fn check_in_time(took: Duration, expected: Duration) {
    let around = expected.saturating_sub(Duration::from_secs(1))..=expected;
    assert!(around.contains(&took), "{took:?}");
}

/// Checks that the last message of a stream is the error for request 1.
fn check_error(body: &str) {
    let last = body.lines().rfind(|line| line.starts_with("data: "));
    let error: Value = serde_json::from_str(last.unwrap().strip_prefix("data: ").unwrap()).unwrap();
    assert_eq!(error["id"], 1, "{body}");
    assert_eq!(error["error"]["code"], -32603, "{body}");
    let message = error["error"]["message"].as_str().unwrap();
    assert!(message.contains("access has expired"), "{message}");
}

/// Opens a session. The returned function makes the headers of its requests.
async fn session(service: &HttpService, revision: &str) -> impl Fn(&str) -> http::request::Builder {
    let hello = initialize(revision);
    let opened = send(service, post(&hello), &hello).await;
    let id = opened.headers()["mcp-session-id"]
        .to_str()
        .unwrap()
        .to_owned();
    let revision = revision.to_owned();
    let request = move |method: &str| {
        Request::builder()
            .method(method)
            .uri("/mcp")
            .header("host", "localhost")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-session-id", &id)
            .header("mcp-protocol-version", &revision)
    };
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let answer = send(service, request("POST"), &initialized).await;
    assert_eq!(answer.status(), 202);
    request
}

#[tokio::test(start_paused = true)]
async fn a_stateless_answer_that_is_a_stream_ends_with_an_error() {
    let (service, mut events) = service().await;
    let message = stateless(1, "tools/call", json!({"name": "tell_and_wait"}));
    let answer = send(&service, post(&message).header("seconds", "3600"), &message).await;
    assert_eq!(answer.headers()["content-type"], "text/event-stream");
    let (body, took) = rest(answer).await;
    check_in_time(took, HOUR);
    assert!(body.contains("notifications/progress"), "{body}");
    check_error(&body);
    assert_eq!(events.recv().await, Some("dropped"));
}

#[tokio::test(start_paused = true)]
async fn a_subscription_ends_with_an_error() {
    let (service, _events) = service().await;
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let message = stateless(1, "subscriptions/listen", filter);
    let answer = send(&service, post(&message).header("seconds", "3600"), &message).await;
    let (body, took) = rest(answer).await;
    check_in_time(took, HOUR);
    assert!(body.contains("acknowledged"), "{body}");
    check_error(&body);
}

#[tokio::test(start_paused = true)]
async fn in_a_session_the_streams_end_and_the_session_goes_on() {
    for revision in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let (service, mut events) = service().await;
        let request = session(&service, revision).await;
        let message = call(1, "tell_and_wait", json!({}));
        let answer = send(
            &service,
            request("POST").header("seconds", "3600"),
            &message,
        )
        .await;
        let get = request("GET").header("seconds", "7200");
        let stream = send(&service, get, &Value::Null).await;
        let ((body, took), (listened, later)) = tokio::join!(rest(answer), rest(stream));
        check_in_time(took, HOUR);
        check_error(&body);
        check_in_time(later, 2 * HOUR);
        assert!(listened.ends_with(": the access has expired: come back with a new token\n\n"));
        assert_eq!(events.recv().await, Some("dropped"));

        let again = send(&service, request("POST"), &call(1, "echo", json!({}))).await;
        assert_eq!(again.status(), 200);
        let stream = send(
            &service,
            request("GET").header("seconds", "0"),
            &Value::Null,
        )
        .await;
        assert_eq!(stream.status(), 200);
        check_in_time(rest(stream).await.1, Duration::ZERO);
    }
}

#[tokio::test(start_paused = true)]
async fn a_plain_answer_that_was_begun_in_time_is_finished() {
    let (service, _events) = service().await;
    let slow = stateless(1, "tools/call", json!({"name": "slow"}));
    let answer = send(&service, post(&slow).header("seconds", "5"), &slow).await;
    assert_eq!(answer.headers()["content-type"], "application/json");
    assert!(rest(answer).await.0.contains("done"));

    let request = session(&service, "2025-11-25").await;
    let slow = call(1, "slow", json!({}));
    let answer = send(&service, request("POST").header("seconds", "5"), &slow).await;
    assert!(rest(answer).await.0.contains("done"));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_becomes_a_stream_too_late_ends_then() {
    let (service, mut events) = service().await;
    let silent = stateless(1, "tools/call", json!({"name": "silent"}));
    let answer = send(&service, post(&silent).header("seconds", "5"), &silent).await;
    assert_eq!(answer.headers()["content-type"], "text/event-stream");
    let (body, took) = rest(answer).await;
    check_in_time(took, Duration::ZERO);
    check_error(&body);
    assert_eq!(events.recv().await, Some("started"));
    assert_eq!(events.recv().await, Some("dropped"));

    let request = session(&service, "2025-11-25").await;
    let silent = call(1, "silent", json!({}));
    let answer = send(&service, request("POST").header("seconds", "5"), &silent).await;
    let (body, took) = rest(answer).await;
    check_in_time(took, Duration::ZERO);
    check_error(&body);
}

#[tokio::test(start_paused = true)]
async fn a_stream_ends_when_its_access_is_checked_and_not_found() {
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let subscription = stateless(1, "subscriptions/listen", filter);
    for (checks, seconds) in [
        ("n", 60),
        ("yn", 120),
        ("yyyn", 240),
        // A check that fails is repeated once.
        ("un", 65),
        ("uu", 65),
        ("uyn", 125),
        ("uyuyn", 190),
        ("pu", 65),
        ("su", 75),
        // The access expires even if all checks succeed.
        (&"y".repeat(60), 1800),
    ] {
        let (service, _events) = service().await;
        let request = post(&subscription).header("checks", checks);
        let request = request.header("seconds", "1800");
        let answer = send(&service, request, &subscription).await;
        let (body, took) = rest(answer).await;
        assert!(
            took >= Duration::from_secs(seconds - 1),
            "{checks} {took:?}"
        );
        assert!(took <= Duration::from_secs(seconds), "{checks} {took:?}");
        check_error(&body);
    }
}

#[tokio::test(start_paused = true)]
async fn the_access_to_each_kind_of_stream_is_checked() {
    let (service, mut events) = service().await;
    let message = stateless(1, "tools/call", json!({"name": "tell_and_wait"}));
    let answer = send(&service, post(&message).header("checks", "yn"), &message).await;
    let (body, took) = rest(answer).await;
    check_in_time(took, 2 * MINUTE);
    check_error(&body);
    assert_eq!(events.recv().await, Some("dropped"));

    let request = session(&service, "2025-11-25").await;
    let message = call(1, "tell_and_wait", json!({}));
    let answer = send(&service, request("POST").header("checks", "yn"), &message).await;
    let get = request("GET").header("checks", "yyyn");
    let stream = send(&service, get, &Value::Null).await;
    let ((body, took), (listened, later)) = tokio::join!(rest(answer), rest(stream));
    check_in_time(took, 2 * MINUTE);
    check_error(&body);
    check_in_time(later, 4 * MINUTE);
    assert!(listened.ends_with(": the access has expired: come back with a new token\n\n"));
    let again = send(&service, request("POST"), &call(1, "echo", json!({}))).await;
    assert_eq!(again.status(), 200);
}

#[tokio::test(start_paused = true)]
async fn a_plain_answer_is_not_checked() {
    let (service, _events) = service().await;
    let slow = stateless(1, "tools/call", json!({"name": "slow"}));
    // There are no letters, so a check would panic.
    let answer = send(&service, post(&slow).header("checks", ""), &slow).await;
    assert!(rest(answer).await.0.contains("done"));
}

#[cfg(feature = "sse")]
#[tokio::test(start_paused = true)]
async fn the_stream_of_http_with_sse_ends_with_its_calls() {
    for (name, value, end) in [("seconds", "3600", HOUR), ("checks", "yyn", 3 * MINUTE)] {
        check_sse(name, value, end).await;
    }
}

/// Checks that a stream opened with this header ends after the time `end`.
#[cfg(feature = "sse")]
async fn check_sse(name: &'static str, value: &'static str, end: Duration) {
    let (service, mut events) = service().await;
    let mut sse = service.sse("/messages");
    let mut send = async |method: &str, path: &str, (name, value): (&str, &str), body: &Value| {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", "localhost")
            .header("content-type", "application/json")
            .header(name, value);
        let request = request.body(body.to_string()).unwrap();
        sse.call(request).await.unwrap()
    };
    let mut stream = send("GET", "/sse", (name, value), &Value::Null)
        .await
        .into_body();
    let first = poll_fn(|cx| Pin::new(&mut stream).poll_frame(cx)).await;
    let first = first.unwrap().unwrap().into_data().unwrap();
    let first = std::str::from_utf8(&first).unwrap();
    let address = first
        .strip_prefix("event: endpoint\ndata: ")
        .unwrap()
        .trim_end()
        .to_owned();
    let later = ("seconds", "7200");
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    for message in [
        initialize("2024-11-05"),
        initialized,
        call(1, "silent", json!({})),
    ] {
        let answer = send("POST", &address, later, &message).await;
        assert_eq!(answer.status(), 202);
    }
    let (body, took) = rest(Response::new(stream)).await;
    check_in_time(took, end);
    check_error(&body);
    assert!(
        body.ends_with(": the access has expired: come back with a new token\n\n"),
        "{body}"
    );
    assert_eq!(events.recv().await, Some("started"));
    assert_eq!(events.recv().await, Some("dropped"));
    let answer = send("POST", &address, later, &call(2, "echo", json!({}))).await;
    assert_eq!(answer.status(), 404);
}

#[cfg(feature = "http-client")]
#[tokio::test]
async fn a_client_opens_its_subscription_again() {
    use mcp_runtime::Client;
    use mcp_runtime::transport::http_client::http_client;
    use mcp_runtime::types::SubscriptionFilter;

    use crate::site::Site;
    use crate::support::clock::in_time;

    /// Grants the first subscription access for only a moment.
    struct Moment(std::sync::atomic::AtomicBool);

    impl AccessPolicy for Moment {
        async fn admit(&self, request: &mut Parts) -> Result<(), AccessDenied> {
            let method = request.headers.get("mcp-method");
            if method.is_some_and(|it| it == "subscriptions/listen")
                && !self.0.swap(true, std::sync::atomic::Ordering::Relaxed)
            {
                let end = SystemTime::now() + Duration::from_millis(20);
                request.extensions.insert(AccessExpires(end));
            }
            Ok(())
        }
    }

    let site = Site::serve(|http| http.auth(Moment(false.into()))).await;
    let url = format!("http://{}/mcp", site.addr);
    let client = Client::builder("test", "1")
        .connect(http_client(url))
        .await
        .unwrap();
    let filter = SubscriptionFilter::new().with_tools_list_changed(true);
    let mut changes = client.subscribe_to(filter).await.unwrap();
    // The list may have changed between the two subscriptions, so the client reports a change.
    assert!(in_time(changes.next()).await.unwrap().is_some());
}
