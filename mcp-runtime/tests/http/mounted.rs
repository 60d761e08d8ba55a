//! Services that another program mounts: how they start and end.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body, Frame};
use mcp_runtime::ServeError;
use mcp_runtime::server::{Reply, ServerBuilder};
use mcp_runtime::transport::http::{HttpOptions, HttpService, ResponseBody, http_service};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tower_service::Service as _;
use tracing::Level;

use crate::support::clock::in_time;
use crate::support::log::Log;
use crate::support::{self, builder, stateless};

const DRAIN: Duration = Duration::from_secs(5);

#[derive(Clone, Default)]
struct Events(Arc<Mutex<Vec<&'static str>>>);

impl Events {
    fn note(&self, event: &'static str) {
        self.0.lock().unwrap().push(event);
    }

    fn seen(&self) -> Vec<&'static str> {
        self.0.lock().unwrap().clone()
    }
}

struct Noted(Events);

impl Drop for Noted {
    fn drop(&mut self) {
        self.0.note("dropped");
    }
}

fn noting(events: &Events) -> ServerBuilder {
    let mut server = builder();
    let [start, guard, shutdown] = std::array::from_fn(|_| events.clone());
    server
        .on_start(move |_| {
            start.note("start");
            std::future::ready(())
        })
        .on_start(move |_| std::future::ready(Ok::<_, io::Error>(Noted(guard.clone()))))
        .on_shutdown(move || {
            let shutdown = shutdown.clone();
            async move {
                tokio::task::yield_now().await;
                shutdown.note("shutdown");
            }
        });
    server
}

/// Adds a tool that reports when it begins, and answers when the returned sender tells it to.
fn waiting(server: &mut ServerBuilder) -> (mpsc::UnboundedReceiver<()>, oneshot::Sender<()>) {
    let (begins, begun) = mpsc::unbounded_channel();
    let (answer, answered) = oneshot::channel::<()>();
    let answered = Mutex::new(Some(answered));
    server.tool(support::tool("wait", move |_| {
        begins.send(()).unwrap();
        let answered = answered.lock().unwrap().take().unwrap();
        Reply::Pending(Box::pin(async move {
            let _ = answered.await;
            Ok(support::text("done".into()))
        }))
    }));
    (begun, answer)
}

fn request<B>(message: &Value, body: B) -> Request<B> {
    let mut request = Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", message["method"].as_str().unwrap());
    if let Some(name) = message["params"]["name"].as_str() {
        request = request.header("mcp-name", name);
    }
    request.body(body).unwrap()
}

async fn ask(service: &HttpService, message: Value) -> (u16, Value) {
    let request = request(&message, message.to_string());
    let response = service.clone().call(request).await.unwrap();
    (response.status().as_u16(), json_of(response).await)
}

async fn json_of(response: Response<ResponseBody>) -> Value {
    let mut body = response.into_body();
    let frame = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await;
    serde_json::from_slice(&frame.unwrap().unwrap().into_data().unwrap()).unwrap()
}

fn list() -> Value {
    stateless(1, "tools/list", json!({}))
}

fn wait() -> Value {
    stateless(1, "tools/call", json!({"name": "wait"}))
}

#[tokio::test]
async fn hooks_run_around_all_requests() {
    let events = Events::default();
    let service = http_service(noting(&events).build(), HttpOptions::default());
    let clone = service.clone();
    assert!(!clone.is_ready());
    let guard = service.start().await.unwrap();
    assert!(clone.is_ready());
    assert_eq!(events.seen(), ["start"]);
    for mounted in [&service, &clone] {
        assert_eq!(ask(mounted, list()).await.0, 200);
    }
    in_time(guard.shut_down()).await.unwrap();
    assert_eq!(events.seen(), ["start", "shutdown", "dropped"]);
    let (status, answer) = ask(&clone, list()).await;
    assert_eq!(status, 503);
    let text = answer["error"]["message"].as_str().unwrap();
    assert_eq!(text, "the server is shutting down");
}

#[tokio::test]
async fn a_service_that_was_not_started_says_so_once_and_serves_nothing() {
    let (log, _logging) = Log::listening(Level::ERROR);
    let events = Events::default();
    let service = http_service(noting(&events).build(), HttpOptions::default());
    for _ in 0..2 {
        let (status, answer) = ask(&service, list()).await;
        assert_eq!(status, 503);
        let text = answer["error"]["message"].as_str().unwrap();
        assert_eq!(text, "the server has not been started");
    }
    assert_eq!(log.text().matches("`start()`").count(), 1, "{}", log.text());
    assert!(log.text().contains("ERROR"), "{}", log.text());
    assert_eq!(events.seen(), [""; 0]);
    drop(service);
    assert_eq!(log.text().lines().count(), 1);
}

#[tokio::test]
async fn a_start_that_fails_may_be_repeated_and_one_that_succeeds_may_not() {
    let events = Events::default();
    let mut server = noting(&events);
    let has_disk = Arc::new(AtomicBool::new(false));
    let disk = Arc::clone(&has_disk);
    server.on_start(move |_| {
        let found = disk.load(Ordering::Relaxed);
        async move { found.then_some(()).ok_or("no disk") }
    });
    let service = http_service(server.build(), HttpOptions::default());
    match service.start().await {
        Err(ServeError::Start(error)) => assert_eq!(error.to_string(), "no disk"),
        other => panic!("{other:?}"),
    }
    assert_eq!(ask(&service, list()).await.0, 503);
    assert_eq!(events.seen(), ["start", "dropped"]);

    has_disk.store(true, Ordering::Relaxed);
    let (one, other) = tokio::join!(service.start(), service.start());
    let guard = one.unwrap();
    assert!(
        matches!(other, Err(ServeError::AlreadyStarted)),
        "{other:?}"
    );
    assert_eq!(ask(&service, list()).await.0, 200);
    guard.shut_down().await.unwrap();
    let again = service.start().await;
    assert!(
        matches!(again, Err(ServeError::AlreadyStarted)),
        "{again:?}"
    );
}

#[tokio::test]
async fn requests_are_refused_while_the_service_starts() {
    let (log, _logging) = Log::listening(Level::ERROR);
    let (begins, mut begun) = mpsc::unbounded_channel();
    let (go, gone) = oneshot::channel::<()>();
    let gone = Mutex::new(Some(gone));
    let mut server = builder();
    server.on_start(move |_| {
        begins.send(()).unwrap();
        gone.lock().unwrap().take().unwrap()
    });
    let service = http_service(server.build(), HttpOptions::default());
    let starting = service.clone();
    let starting = tokio::spawn(async move { starting.start().await });
    begun.recv().await.unwrap();
    assert_eq!(ask(&service, list()).await.0, 503);
    assert_eq!(log.text(), "");
    go.send(()).unwrap();
    let _guard = starting.await.unwrap().unwrap();
    assert_eq!(ask(&service, list()).await.0, 200);
}

#[tokio::test(start_paused = true)]
async fn the_end_waits_for_calls_in_flight_and_refuses_others() {
    let events = Events::default();
    let mut server = noting(&events);
    let (mut begun, answer) = waiting(&mut server);
    let service = http_service(server.build(), HttpOptions::default());
    let guard = service.start().await.unwrap();
    let calling = service.clone();
    let call = tokio::spawn(async move { ask(&calling, wait()).await });
    begun.recv().await.unwrap();

    let ending = tokio::spawn(guard.shut_down());
    tokio::time::sleep(DRAIN).await;
    assert_eq!(ask(&service, list()).await.0, 503);
    assert!(!service.is_ready());
    assert!(!ending.is_finished());
    assert_eq!(events.seen(), ["start"]);
    answer.send(()).unwrap();
    let (status, message) = call.await.unwrap();
    assert_eq!(status, 200);
    assert_eq!(message["result"]["content"][0]["text"], "done");
    ending.await.unwrap().unwrap();
    assert_eq!(events.seen(), ["start", "shutdown", "dropped"]);
}

#[tokio::test(start_paused = true)]
async fn the_end_waits_no_longer_than_the_drain_timeout() {
    let events = Events::default();
    let mut server = noting(&events);
    let (mut begun, answer) = waiting(&mut server);
    let options = HttpOptions::default().drain_timeout(DRAIN);
    let service = http_service(server.build(), options);
    let guard = service.start().await.unwrap();
    let calling = service.clone();
    let call = tokio::spawn(async move { ask(&calling, wait()).await });
    begun.recv().await.unwrap();

    let start = tokio::time::Instant::now();
    guard.shut_down().await.unwrap();
    assert_eq!(start.elapsed(), DRAIN);
    let (status, message) = call.await.unwrap();
    // The call has begun, so the client must not repeat it.
    assert_eq!((status, &message["error"]["code"]), (200, &json!(-32603)));
    assert_eq!(events.seen(), ["start", "shutdown", "dropped"]);
    drop(answer);
}

#[tokio::test]
async fn an_error_at_the_end_is_returned() {
    let mut server = builder();
    server.on_shutdown(|| async { Err::<(), _>("the disk is full") });
    let service = http_service(server.build(), HttpOptions::default());
    let guard = service.start().await.unwrap();
    match guard.shut_down().await {
        Err(ServeError::Shutdown(error)) => assert_eq!(error.to_string(), "the disk is full"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_guard_that_is_dropped_ends_the_service_and_says_what_did_not_run() {
    let (log, _logging) = Log::listening(Level::WARN);
    let events = Events::default();
    let mut server = noting(&events);
    let (mut begun, _answer) = waiting(&mut server);
    let service = http_service(server.build(), HttpOptions::default());
    let guard = service.start().await.unwrap();
    let calling = service.clone();
    let call = tokio::spawn(async move { ask(&calling, wait()).await });
    begun.recv().await.unwrap();
    drop(guard);
    let (_, message) = in_time(call).await.unwrap();
    assert_eq!(message["error"]["code"], -32603, "{message}");
    assert_eq!(ask(&service, list()).await.0, 503);
    assert_eq!(events.seen(), ["start", "dropped"]);
    assert_eq!(log.text().matches("without `on_shutdown`").count(), 1);
}

#[tokio::test]
async fn an_end_that_is_cut_short_is_logged() {
    let (log, _logging) = Log::listening(Level::WARN);
    let mut server = builder();
    server.on_shutdown(std::future::pending::<()>);
    let service = http_service(server.build(), HttpOptions::default());
    let guard = service.start().await.unwrap();
    tokio::select! {
        biased;
        _ = guard.shut_down() => unreachable!(),
        () = tokio::task::yield_now() => {}
    }
    assert_eq!(log.text().matches("without `on_shutdown`").count(), 1);
}

/// A body that arrives when the sender provides it.
struct Late(oneshot::Receiver<Bytes>);

impl Body for Late {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let body = std::task::ready!(Pin::new(&mut self.0).poll(cx));
        std::task::Poll::Ready(Some(Ok(Frame::data(body.unwrap()))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_terminated()
    }
}

#[tokio::test]
async fn a_body_that_comes_after_the_end_begins_no_call() {
    let mut server = builder();
    let called = Arc::new(AtomicBool::new(false));
    let note = Arc::clone(&called);
    server.tool(support::tool("note", move |_| {
        note.store(true, Ordering::Relaxed);
        Reply::Ready(Ok(support::text(String::new())))
    }));
    let service = http_service(server.build(), HttpOptions::default());
    let guard = service.start().await.unwrap();
    let (send, body) = oneshot::channel();
    let message = stateless(1, "tools/call", json!({"name": "note"}));
    let answer = service.clone().call(request(&message, Late(body)));
    let mut answer = std::pin::pin!(answer);
    let begun = std::future::poll_fn(|cx| std::task::Poll::Ready(answer.as_mut().poll(cx)));
    assert!(begun.await.is_pending());
    in_time(guard.shut_down()).await.unwrap();
    send.send(message.to_string().into()).unwrap();
    assert_eq!(answer.await.unwrap().status(), 503);
    assert!(!called.load(Ordering::Relaxed));
}
