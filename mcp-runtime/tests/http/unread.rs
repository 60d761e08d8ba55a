//! Clients of a mounted service that do not read their messages.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Waker};
use std::time::Duration;

use http::{Request, Response};
use http_body::Body as _;
use mcp_runtime::transport::http::{HttpOptions, HttpService, ResponseBody};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, sleep};
use tower_service::Service as _;

use crate::site::server;
use crate::support::mounted::mounted;
use crate::support::{call, initialize, stateless};

const WRITE_TIMEOUT: Duration = Duration::from_secs(60);

/// Returns the service as another program mounts it, and the events that its tools report.
async fn serving() -> (HttpService, UnboundedReceiver<&'static str>) {
    serving_with(|options| options).await
}

async fn serving_with(
    configure: impl FnOnce(HttpOptions) -> HttpOptions,
) -> (HttpService, UnboundedReceiver<&'static str>) {
    let (server, events) = server();
    let options = HttpOptions::default()
        .write_timeout(WRITE_TIMEOUT)
        .session_idle(WRITE_TIMEOUT * 10);
    (mounted(server, configure(options)).await, events)
}

async fn post(
    service: &mut HttpService,
    headers: &[(&str, &str)],
    message: &Value,
) -> Response<ResponseBody> {
    let mut request = Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(message.to_string()).unwrap();
    service.call(request).await.unwrap()
}

/// Calls a tool that sends a message and then waits.
async fn waiting(service: &mut HttpService) -> ResponseBody {
    let message = stateless(1, "tools/call", json!({"name": "tell_and_wait"}));
    let headers = [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "tell_and_wait"),
    ];
    post(service, &headers, &message).await.into_body()
}

async fn next(body: &mut ResponseBody) -> Option<String> {
    let frame = poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await?;
    let data = frame.unwrap().into_data().unwrap();
    Some(String::from_utf8(data.to_vec()).unwrap())
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_nobody_reads_ends_and_its_call_is_cancelled() {
    for read in [0, 1] {
        let (mut service, mut events) = serving().await;
        let mut body = waiting(&mut service).await;
        let start = Instant::now();
        for _ in 0..read {
            next(&mut body).await.unwrap();
        }
        assert_eq!(events.recv().await, Some("dropped"));
        // The server checks four times within the timeout.
        assert_eq!(start.elapsed(), WRITE_TIMEOUT + WRITE_TIMEOUT / 4 * read);
        assert_eq!(next(&mut body).await, None);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_read_slowly_or_has_nothing_to_read_goes_on() {
    let (mut service, mut events) = serving().await;
    let mut body = waiting(&mut service).await;
    assert!(next(&mut body).await.unwrap().contains("progress"));
    for _ in 0..5 {
        sleep(WRITE_TIMEOUT * 3 / 4).await;
        assert_eq!(next(&mut body).await.unwrap(), ":\n\n");
    }
    let mut cx = Context::from_waker(Waker::noop());
    assert!(Pin::new(&mut body).poll_frame(&mut cx).is_pending());
    sleep(WRITE_TIMEOUT * 10).await;
    assert!(events.try_recv().is_err(), "the call goes on");
    drop(body);
    assert_eq!(events.recv().await, Some("dropped"));
}

async fn session(service: &mut HttpService) -> String {
    let opened = post(service, &[], &initialize("2025-11-25")).await;
    let id = opened.headers()["mcp-session-id"].to_str().unwrap();
    let headers = [("mcp-session-id", id)];
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    post(service, &headers, &initialized).await;
    id.to_owned()
}

#[tokio::test(start_paused = true)]
async fn calls_wait_while_too_much_is_unread() {
    for tool in ["echo", "tell"] {
        let (mut service, _events) =
            serving_with(|options| options.max_unread_bytes_total(10)).await;
        let id = session(&mut service).await;
        let headers = [("mcp-session-id", &*id)];
        // The answer is plain JSON, or follows a message of the tool.
        let mut body = post(&mut service, &headers, &call(1, tool, json!({})))
            .await
            .into_body();
        let start = Instant::now();
        let refused = post(&mut service, &headers, &call(2, "echo", json!({}))).await;
        assert_eq!(refused.status(), 503, "{tool}");
        assert_eq!(refused.headers()["retry-after"], "1");
        assert_eq!(start.elapsed(), WRITE_TIMEOUT * 2);
        drop(refused);

        let mut other = service.clone();
        let read = async {
            sleep(WRITE_TIMEOUT).await;
            while next(&mut body).await.is_some() {}
        };
        let third = call(3, "echo", json!({}));
        let (answer, ()) = tokio::join!(post(&mut other, &headers, &third), read);
        assert_eq!(answer.status(), 200, "{tool}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_outlives_a_stream_that_nobody_reads_for_as_long_as_it_may_be_idle() {
    let (mut service, mut events) = serving().await;
    let id = session(&mut service).await;
    let headers = [("mcp-session-id", &*id)];
    let called = call(1, "tell_and_wait", json!({}));
    let mut body = post(&mut service, &headers, &called).await.into_body();
    let first = next(&mut body).await.unwrap();
    assert!(first.starts_with("id: 2-0\n"), "{first}");
    sleep(WRITE_TIMEOUT * 2).await;
    assert_eq!(next(&mut body).await, None);
    assert!(events.try_recv().is_err(), "the call goes on");

    let again = Request::get("/mcp")
        .header("host", "localhost")
        .header("accept", "text/event-stream")
        .header("mcp-session-id", &id)
        .header("last-event-id", "2-0");
    let resumed = service.call(again.body(String::new()).unwrap()).await;
    let mut resumed = resumed.unwrap().into_body();
    assert!(next(&mut resumed).await.unwrap().contains("progress"));
}

#[tokio::test(start_paused = true)]
async fn the_answers_of_an_open_batch_count() {
    let (mut service, mut events) =
        serving_with(|options| options.max_unread_bytes_total(10_000)).await;
    let opened = post(&mut service, &[], &initialize("2025-03-26")).await;
    let id = opened.headers()["mcp-session-id"].to_str().unwrap();
    let headers = [("mcp-session-id", id)];
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    post(&mut service, &headers, &initialized).await;
    let large = json!({"text": "x".repeat(12_000)});
    let batch = json!([call(1, "echo", large), call(2, "silent", json!({}))]);
    let mut other = service.clone();
    let refused = async {
        assert_eq!(events.recv().await, Some("started"));
        let start = Instant::now();
        let refused = post(&mut other, &headers, &call(3, "echo", json!({}))).await;
        (refused.status(), start.elapsed())
    };
    let (_open, (status, waited)) = tokio::join!(post(&mut service, &headers, &batch), refused);
    assert_eq!((status.as_u16(), waited), (503, WRITE_TIMEOUT * 2));
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_a_session_beyond_twice_the_limit_is_cut() {
    const LARGE: usize = 10_000;
    let (mut service, _events) =
        serving_with(|options| options.max_unread_bytes_total(LARGE)).await;
    let id = session(&mut service).await;
    let headers = [("mcp-session-id", &*id)];
    let calls = (1..=4).map(|id| {
        let mut service = service.clone();
        let message = call(id, "soon", json!({"text": "x".repeat(LARGE * 3 / 4)}));
        async move { post(&mut service, &headers, &message).await.into_body() }
    });
    // All answers exist before one of them is read.
    let bodies = futures_util::future::join_all(calls).await;
    let mut whole = 0;
    for mut body in bodies {
        let message = next(&mut body).await.unwrap();
        if message.contains("\"result\"") {
            whole += 1;
        } else {
            assert!(message.contains("-32603"), "{message}");
        }
    }
    assert_eq!(whole, 2);
}
