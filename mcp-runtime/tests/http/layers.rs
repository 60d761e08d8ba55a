//! Layers of servers over HTTP: statuses, headers, callers, and requests that are abandoned.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http::header::AUTHORIZATION;
use http::request::Parts;
use mcp_runtime::BoxFuture;
use mcp_runtime::layer::{
    BoxError, Buckets, McpRequest, McpResponse, Next, Rate, RateLimit, Taken, from_fn,
};
use mcp_runtime::server::tools::{ToolBuilder, argument};
use mcp_runtime::transport::http::{
    AccessDenied, AccessPolicy, HttpOptions, Principal, ScopeCheck, http,
};
use mcp_runtime::{ProtocolError, Server, ServerBuilder};
use serde_json::{Value, json};
use tokio::sync::mpsc::unbounded_channel;

use crate::site::{Answer, Shutdown, Site, read};
use crate::support::{builder, call, stateless};

const HOUR: Duration = Duration::from_secs(3600);

/// A slow store that has no tokens left.
struct Exhausted;

impl Buckets for Exhausted {
    fn take(&self, _: &str, rate: Rate) -> BoxFuture<Result<Taken, BoxError>> {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(5)).await;
            Ok(Taken::No(rate.interval()))
        })
    }
}

/// Admits every caller, as the principal named by `Authorization` and without scopes.
struct Named;

impl AccessPolicy for Named {
    async fn admit(&self, request: &mut Parts) -> Result<(), AccessDenied> {
        if let Some(name) = request.headers.remove(AUTHORIZATION) {
            let name = name.to_str().unwrap().to_owned();
            request.extensions.insert(Principal::new(name));
        }
        request.extensions.insert(ScopeCheck::new(|needed| {
            Err(AccessDenied::forbidden().message(format!("needs {}", needed.join(" "))))
        }));
        Ok(())
    }
}

fn site(server: &mut ServerBuilder) -> Site {
    Site::of_with(&server.build(), HttpOptions::default().auth(Named))
}

fn of(mut request: http::Request<String>, principal: &str) -> http::Request<String> {
    let headers = request.headers_mut();
    headers.insert(AUTHORIZATION, principal.parse().unwrap());
    request
}

fn echo() -> Value {
    stateless(1, "tools/call", json!({"name": "echo"}))
}

#[track_caller]
fn check_refused(answer: &Answer) {
    assert_eq!(answer.status, 429, "{answer:?}");
    let seconds: u64 = answer.header("retry-after").unwrap().parse().unwrap();
    let error = &answer.json()["error"];
    assert_eq!(error["code"], -32603, "{answer:?}");
    let milliseconds = error["data"]["retryAfterMs"].as_u64().unwrap();
    assert!((3500..=3600).contains(&seconds), "{answer:?}");
    assert!(milliseconds <= seconds * 1000, "{answer:?}");
}

#[tokio::test]
async fn a_refused_request_is_answered_with_429_in_both_eras() {
    let mut server = builder();
    let tool = ToolBuilder::new("limited").layer(RateLimit::per_principal(1, HOUR));
    server.tool(tool.call(|(), _| "so"));
    let site = Site::of(&server.build());
    let session = site.session("2025-06-18").await;
    let limited = call(1, "limited", json!({}));
    assert_eq!(session.ask(&limited).await.status, 200);
    check_refused(&session.ask(&limited).await);
    let mut sender = site.connect().await;
    let limited = site.stateless(&stateless(1, "tools/call", json!({"name": "limited"})));
    let answer = read(sender.send_request(limited.clone()).await.unwrap()).await;
    assert_eq!(answer.status, 200);
    check_refused(&read(sender.send_request(limited).await.unwrap()).await);
}

#[tokio::test]
async fn so_is_one_that_is_refused_later() {
    let mut server = builder();
    server.layer(RateLimit::per_principal(1, HOUR).buckets(Exhausted));
    let site = site(&mut server);
    check_refused(&site.send(of(site.stateless(&echo()), "ann")).await);
    let initialize = crate::support::initialize("2025-06-18");
    let post = |message: &Value, id: Option<&str>| {
        let mut request = site
            .request("POST")
            .header("content-type", "application/json");
        if let Some(id) = id {
            request = request.header("mcp-session-id", id);
        }
        of(request.body(message.to_string()).unwrap(), "ann")
    };
    let opened = site.send(post(&initialize, None)).await;
    let id = opened.header("mcp-session-id").unwrap();
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    site.send(post(&initialized, Some(id))).await;
    check_refused(&site.send(post(&call(1, "echo", json!({})), Some(id))).await);
}

/// A store that is unavailable.
struct Away;

impl Buckets for Away {
    fn take(&self, _: &str, _: Rate) -> BoxFuture<Result<Taken, BoxError>> {
        Box::pin(async { Err("away".into()) })
    }
}

#[tokio::test]
async fn a_process_limits_alone_while_the_store_of_buckets_is_away() {
    let mut server = builder();
    server.layer(RateLimit::per_principal(1, HOUR).buckets(Away));
    let site = site(&mut server);
    for principal in ["ann", "bob"] {
        let request = of(site.stateless(&echo()), principal);
        assert_eq!(site.send(request.clone()).await.status, 200);
        check_refused(&site.send(request).await);
    }
}

#[tokio::test]
async fn members_of_a_batch_have_no_status_of_their_own() {
    for buckets in [None, Some(Exhausted)] {
        let mut server = builder();
        let limit = RateLimit::per_principal(1, HOUR);
        server.layer(match buckets {
            None => limit,
            Some(buckets) => limit.buckets(buckets),
        });
        let site = Site::of(&server.build());
        let session = site.session("2025-03-26").await;
        let batch = json!([call(1, "echo", json!({})), call(2, "echo", json!({}))]);
        let answer = session.ask(&batch).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let answers = answer.json();
        let refused = answers.as_array().unwrap().iter();
        let refused = refused.filter(|it| it["error"]["data"]["retryAfterMs"].is_u64());
        assert_eq!(refused.count(), 1, "{answers}");
    }
}

#[tokio::test]
async fn principals_connections_and_sessions_have_buckets_of_their_own() {
    let mut server = builder();
    server.layer(RateLimit::per_principal(1, HOUR));
    // A mounted service does not know its connections.
    let site = Site::of_http(&server.build(), |http| http.auth(Named));
    for principal in ["ann", "bob"] {
        let request = of(site.stateless(&echo()), principal);
        assert_eq!(site.send(request.clone()).await.status, 200);
        check_refused(&site.send(request).await);
    }
    for _ in 0..2 {
        let mut connection = site.connect().await;
        let first = connection.send_request(site.stateless(&echo())).await;
        assert_eq!(first.unwrap().status(), 200);
        let second = connection.send_request(site.stateless(&echo())).await;
        check_refused(&read(second.unwrap()).await);
    }
    for _ in 0..2 {
        let session = site.session("2025-06-18").await;
        let echo = call(1, "echo", json!({}));
        assert_eq!(session.ask(&echo).await.status, 200);
        check_refused(&session.ask(&echo).await);
    }
}

fn guarded(
    layer: fn(Result<McpResponse, BoxError>) -> Result<McpResponse, BoxError>,
) -> ServerBuilder {
    let mut server = Server::builder();
    server.layer(from_fn(move |request: McpRequest, next: Next| async move {
        layer(next.run(request).await)
    }));
    server.tool(
        ToolBuilder::new("write")
            .scopes(["write"])
            .call(|(), _| "written"),
    );
    server
}

#[tokio::test]
async fn the_status_is_that_of_the_outcome() {
    let write = stateless(1, "tools/call", json!({"name": "write"}));
    let denied = site(&mut guarded(|outcome| outcome));
    let answer = denied.ask(&write).await;
    assert_eq!(answer.status, 403, "{answer:?}");
    assert_eq!(answer.json()["error"]["message"], "needs write");
    let replaced = site(&mut guarded(|_| Ok(McpResponse::new(r#"{"content":[]}"#)?)));
    let answer = replaced.ask(&write).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.json()["result"]["content"], json!([]));
    let other = site(&mut guarded(|_| {
        Err(ProtocolError::new(-32050, "other").into())
    }));
    let answer = other.ask(&write).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.error_code(), -32050);
}

#[tokio::test]
async fn what_http_refuses_passes_no_layer() {
    let passed = Arc::new(AtomicUsize::new(0));
    let mut server = builder();
    let counter = Arc::clone(&passed);
    server.layer(from_fn(move |request: McpRequest, next: Next| {
        counter.fetch_add(1, Ordering::Relaxed);
        next.run(request)
    }));
    let site = Site::of(&server.build());
    for (name, value) in [
        ("mcp-method", "tools/list"),
        ("mcp-name", "other"),
        ("mcp-protocol-version", "2025-06-18"),
        ("host", "example.com"),
        ("content-type", "text/plain"),
    ] {
        let mut request = site.stateless(&echo());
        request.headers_mut().insert(name, value.parse().unwrap());
        let answer = site.send(request).await;
        assert!(answer.status.is_client_error(), "{name}: {answer:?}");
    }
    let mut malformed = echo();
    malformed["params"]["arguments"] = json!([]);
    assert_eq!(site.ask(&malformed).await.status, 400);
    assert_eq!(passed.load(Ordering::Relaxed), 0);
    assert_eq!(site.ask(&echo()).await.status, 200);
    assert_eq!(passed.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn headers_are_compared_with_the_parameters_as_they_came() {
    let mut server = builder();
    server.layer(from_fn(async |mut request: McpRequest, next: Next| {
        request.set_params(json!({"name": "region", "arguments": {"region": "moon"}}));
        next.run(request).await
    }));
    let region = argument::<String>("region").header("Region");
    let region = ToolBuilder::new("region").arguments((region,));
    server.tool(region.call(|(region,), _| region));
    let site = Site::of(&server.build());
    let asked = stateless(
        1,
        "tools/call",
        json!({"name": "any", "arguments": {"region": "us"}}),
    );
    for (header, status) in [("us", 200), ("moon", 400)] {
        let mut request = site.stateless(&asked);
        let headers = request.headers_mut();
        headers.insert("mcp-param-region", header.parse().unwrap());
        let answer = site.send(request).await;
        assert_eq!(answer.status, status, "{answer:?}");
        if status == 200 {
            assert_eq!(answer.json()["result"]["content"][0]["text"], "moon");
        }
    }
}

struct Dropped(tokio::sync::mpsc::UnboundedSender<&'static str>);

impl Drop for Dropped {
    fn drop(&mut self) {
        let _ = self.0.send("dropped");
    }
}

/// Creates a site where every tool call stays in a layer, and at most one call is in flight.
fn staying(drain: Duration) -> (Site, tokio::sync::mpsc::UnboundedReceiver<&'static str>) {
    let (sender, events) = unbounded_channel();
    let mut server = builder();
    server.layer(from_fn(move |request: McpRequest, next: Next| {
        let dropped = Dropped(sender.clone());
        async move {
            if request.method() == "tools/call" {
                let _ = dropped.0.send("started");
                std::future::pending::<()>().await;
            }
            next.run(request).await
        }
    }));
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    let options = HttpOptions::default().max_calls(1);
    let serve = server.build().serve(http(listener).options(options));
    let serve = serve.signals(false).drain_timeout(drain);
    let (_, none) = unbounded_channel();
    let site = Site {
        addr,
        shutdown: Shutdown::of(serve.shutdown_handle()),
        serving: tokio::spawn(serve.into_future()),
        events: none,
    };
    (site, events)
}

#[tokio::test]
async fn a_stateless_call_in_a_layer_ends_with_its_connection_and_leaves_its_permit() {
    let (site, mut events) = staying(Duration::from_secs(5));
    for _ in 0..2 {
        let connection = site.connect().await;
        let mut sender = connection;
        let response = sender.send_request(site.stateless(&echo()));
        let response = tokio::spawn(response);
        assert_eq!(events.recv().await, Some("started"));
        let busy = site.ask(&echo()).await;
        assert_eq!(busy.status, 429, "{busy:?}");
        while events.try_recv().is_ok() {}
        response.abort();
        drop(sender);
        while events.recv().await != Some("dropped") {}
    }
    site.lives_on().await;
}

#[tokio::test]
async fn a_call_in_a_layer_ends_with_the_drain_time() {
    let (site, mut events) = staying(Duration::from_millis(50));
    let session = site.session("2025-06-18").await;
    let asked = session.post(&call(1, "echo", json!({})));
    let asked = tokio::spawn({
        let mut sender = site.connect().await;
        async move { read(sender.send_request(asked).await.unwrap()).await }
    });
    assert_eq!(events.recv().await, Some("started"));
    site.shutdown.shut_down();
    let answer = asked.await.unwrap();
    assert_eq!(answer.error_code(), -32603, "{answer:?}");
    site.serving.await.unwrap().unwrap();
    while events.recv().await != Some("dropped") {}
}

#[tokio::test]
async fn a_cancelled_call_of_a_session_leaves_its_permit() {
    let (site, mut events) = staying(Duration::from_secs(5));
    let session = site.session("2025-06-18").await;
    for id in 0..2 {
        let asked = call(id, "echo", json!({}));
        let pending = session.start(&asked);
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": id}});
        let ended = async {
            assert_eq!(events.recv().await, Some("started"));
            session.ask(&cancel).await;
            while events.recv().await != Some("dropped") {}
        };
        tokio::join!(async { drop(pending.await) }, ended);
    }
    site.lives_on().await;
}
