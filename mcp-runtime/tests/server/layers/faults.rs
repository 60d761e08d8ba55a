//! The consequences of faulty layers.

use std::future::{Ready, ready};
use std::task::{Context, Poll};
use std::time::Duration;

use mcp_runtime::layer::{
    BoxError, McpRequest, McpResponse, Next, RateLimit, TooManyRequests, from_fn,
};
use mcp_runtime::types::RawJson;
use mcp_runtime::{ProtocolError, Server};
use serde_json::{Value, json};
use tower_service::Service;
use tracing::Level;

use super::both;
use crate::support::log::Log;
use crate::support::{Wire, builder, call, stateless};

/// Creates a server whose layer handles each call of `echo` with `fault`.
fn failing(fault: fn(McpRequest) -> Result<McpResponse, BoxError>) -> Server {
    let mut server = builder();
    server.layer(from_fn(move |request: McpRequest, next: Next| async move {
        match request.target().as_deref() {
            Some("echo") => fault(request),
            _ => next.run(request).await,
        }
    }));
    server.build()
}

async fn errors(fault: fn(McpRequest) -> Result<McpResponse, BoxError>) -> [Value; 2] {
    let server = failing(fault);
    let answers = both(&server, "echo", json!({})).await;
    for next in both(&server, "soon", json!({})).await {
        assert!(next["result"].is_object(), "{next}");
    }
    answers.map(|mut answer| answer["error"].take())
}

#[tokio::test]
async fn an_error_of_the_protocol_is_answered_as_it_is() {
    let errors = errors(|_| {
        let error = ProtocolError::new(-32050, "closed").with_data(json!({"until": "noon"}));
        Err(error.into())
    });
    for error in errors.await {
        let expected = json!({"code": -32050, "message": "closed", "data": {"until": "noon"}});
        assert_eq!(error, expected);
    }
}

#[tokio::test]
async fn any_other_error_is_internal_and_logged() {
    let (log, _guard) = Log::listening(Level::ERROR);
    for error in errors(|_| Err("the secret of the house".into())).await {
        assert_eq!(error, json!({"code": -32603, "message": "Internal error"}));
    }
    assert!(log.text().contains("the secret of the house"));
}

#[tokio::test]
async fn a_panic_is_contained() {
    for error in errors(|_| panic!("the secret of the house")).await {
        assert_eq!(error, json!({"code": -32603, "message": "Internal error"}));
    }
}

#[tokio::test]
async fn a_refusal_says_when_to_try_again() {
    let errors = errors(|_| Err(TooManyRequests::retry_after(Duration::from_millis(1500)).into()));
    for error in errors.await {
        assert_eq!(error["code"], -32603);
        assert_eq!(error["data"], json!({"retryAfterMs": 1500}));
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("try again in 1500 ms"), "{message}");
    }
}

#[tokio::test]
async fn a_response_that_is_not_an_object_is_an_internal_error() {
    for error in errors(|_| Ok(McpResponse::new("[]")?)).await {
        assert_eq!(error, json!({"code": -32603, "message": "Internal error"}));
    }
}

/// A service that is never ready, or panics when it is polled for readiness.
#[derive(Clone)]
struct Unready {
    panics: bool,
}

impl Service<McpRequest> for Unready {
    type Response = McpResponse;
    type Error = BoxError;
    type Future = Ready<Result<McpResponse, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        assert!(!self.panics, "the secret of the house");
        Poll::Pending
    }

    fn call(&mut self, _: McpRequest) -> Self::Future {
        ready(Ok(McpResponse::new("{}").unwrap()))
    }
}

fn unready(panics: bool) -> Server {
    let mut server = builder();
    server.layer(tower_layer::layer_fn(move |_: Next| Unready { panics }));
    server.build()
}

#[tokio::test]
async fn a_panic_in_the_readiness_of_a_layer_is_contained() {
    let server = unready(true);
    for _ in 0..2 {
        for answer in both(&server, "echo", json!({})).await {
            let expected = json!({"code": -32603, "message": "Internal error"});
            assert_eq!(answer["error"], expected);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_layer_that_never_is_ready_counts_as_a_call_and_ends_with_the_drain_time() {
    let server = unready(false);
    let (ours, theirs) = mcp_runtime::transport::memory::pair();
    let serving = server.serve(theirs).signals(false).max_in_flight(2);
    let serving = serving.drain_timeout(Duration::from_secs(5));
    let mut wire = Wire::with(ours, tokio::spawn(serving.into_future())).await;
    wire.handshake("2025-06-18").await;
    for id in 1..=2 {
        wire.send(call(id, "echo", json!({}))).await;
    }
    let busy = wire.ask(call(3, "echo", json!({}))).await;
    assert_eq!(busy["id"], 3);
    let message = busy["error"]["message"].as_str().unwrap();
    assert!(message.contains("Busy"), "{message}");
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 1}});
    wire.send(cancel).await;
    wire.send(call(4, "echo", json!({}))).await;
    let begun = tokio::time::Instant::now();
    assert_eq!(wire.drain().await, Vec::<Value>::new());
    assert_eq!(begun.elapsed().as_secs(), 5);
}

#[tokio::test]
async fn invalid_parameters_of_a_layer_are_not_the_callers_fault() {
    for replaced in [
        json!([]),
        json!({"name": 7}),
        json!({"name": "nowhere"}),
        json!({"name": "echo", "arguments": []}),
        json!({"name": "echo", "_meta": {"progressToken": []}}),
    ] {
        let (log, _guard) = Log::listening(Level::ERROR);
        let mut server = builder();
        server.layer(from_fn(async |request: McpRequest, next: Next| {
            next.run(request).await
        }));
        let raw = RawJson::from(replaced.clone());
        server.layer(from_fn(move |mut request: McpRequest, next: Next| {
            if request.method() == "tools/call" {
                request.set_params(raw.clone());
            }
            next.run(request)
        }));
        server.layer(from_fn(async |request: McpRequest, next: Next| {
            next.run(request).await
        }));
        for answer in both(&server.build(), "echo", json!({})).await {
            let expected = json!({"code": -32603, "message": "Internal error"});
            assert_eq!(answer["error"], expected, "{replaced}");
        }
        let text = log.text();
        let logged = "a layer replaced the parameters with invalid ones";
        assert!(text.contains(logged), "{replaced}: {text}");
    }
}

#[tokio::test]
async fn parameters_of_a_layer_that_do_not_fit_are_internal_errors_also_where_the_caller_is_at_fault()
 {
    let server = adding();
    for answer in both(&server, "echo", json!({})).await {
        assert!(answer["result"].is_object(), "{answer}");
    }
    for (tool, arguments) in [("nowhere", json!({})), ("echo", json!([]))] {
        for answer in both(&server, tool, arguments).await {
            assert_eq!(answer["error"]["code"], -32603, "{answer}");
        }
    }
}

#[tokio::test]
async fn a_state_is_that_of_the_caller_whatever_a_layer_has_replaced() {
    let mut wire = Wire::to(&adding()).await;
    let params = json!({"name": "echo", "arguments": {}, "requestState": "never issued"});
    let answer = wire.ask(stateless(1, "tools/call", params)).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

/// Creates a server with a layer that adds a member to all parameters.
fn adding() -> Server {
    let mut server = builder();
    server.layer(from_fn(async |mut request: McpRequest, next: Next| {
        let mut params: Value = request.parse_params()?;
        params["added"] = 1.into();
        request.set_params(params);
        next.run(request).await
    }));
    server.build()
}

#[tokio::test(start_paused = true)]
async fn a_rate_limit_refuses_what_is_above_it_and_never_waits() {
    let mut server = builder();
    server.layer(RateLimit::per_principal(2, Duration::from_secs(1)));
    let server = server.build();
    let mut wire = Wire::to(&server).await;
    // The messages of `handshake` do not pass through layers.
    wire.handshake("2025-06-18").await;
    for id in 0..2 {
        let answer = wire.ask(call(id, "echo", json!({}))).await;
        assert!(answer["result"].is_object(), "{answer}");
    }
    let answer = wire.ask(call(2, "echo", json!({}))).await;
    assert_eq!(answer["error"]["data"], json!({"retryAfterMs": 500}));
    let mut other = Wire::to(&server).await;
    other.handshake("2025-06-18").await;
    let answer = other.ask(call(1, "echo", json!({}))).await;
    assert!(answer["result"].is_object(), "{answer}");
    tokio::time::advance(Duration::from_millis(500)).await;
    let answer = wire.ask(call(3, "echo", json!({}))).await;
    assert!(answer["result"].is_object(), "{answer}");
}
