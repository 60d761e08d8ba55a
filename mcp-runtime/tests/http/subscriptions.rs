//! Subscriptions over stateless HTTP whose streams end, for clients and proxies.

use std::sync::Arc;
use std::time::Duration;

use mcp_runtime::Change;
use mcp_runtime::client::{Reconnect, Subscription};
use mcp_runtime::proxy::{Proxy, Upstream};
use mcp_runtime::server::McpServer as _;
use mcp_runtime::transport::http_client::http_client;
use mcp_runtime::types::SubscriptionFilter;
use mcp_runtime::{CallError, Client, Era};
use serde_json::{Value, json};

use crate::scripted::{Exchange, Gate, Script, Scripted};
use crate::support::clock::in_time;
use crate::support::{Wire, request};

#[derive(Clone, Copy, Debug)]
enum Step {
    /// The subscription is accepted and stays open.
    Last,
    /// The subscription is accepted and then breaks off.
    Cut,
    /// The subscription is accepted and then ends normally.
    End,
    /// The connection is reset before any answer.
    Reset,
    /// The answer comes from something other than an MCP server.
    Status(u16),
    Error(i64),
}

/// Returns the tools of a server after this number of subscriptions.
fn tools(subscriptions: usize) -> Value {
    let name = format!("tool{subscriptions}");
    json!([{"name": name, "inputSchema": {"type": "object"}}])
}

/// Starts a server whose subscriptions end only after `gate` is open.
async fn server(steps: impl IntoIterator<Item = Step>, gate: &Gate) -> Scripted {
    let steps = Arc::new(Script::new(steps));
    let subscriptions = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let gate = gate.clone();
    let server = Scripted::new(move |exchange| {
        let steps = Arc::clone(&steps);
        let subscriptions = Arc::clone(&subscriptions);
        let gate = gate.clone();
        async move {
            use std::sync::atomic::Ordering::Relaxed;
            let kept = json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private"});
            let mut result = kept;
            match &*exchange.name() {
                "server/discover" => {
                    result["supportedVersions"] = json!(["2026-07-28"]);
                    result["capabilities"] = json!({"tools": {"listChanged": true}});
                    exchange.result(result).await;
                }
                "tools/list" => {
                    result["tools"] = tools(subscriptions.load(Relaxed));
                    exchange.result(result).await;
                }
                _ => {
                    subscriptions.fetch_add(1, Relaxed);
                    subscribe(exchange, steps.next(), gate).await;
                }
            }
        }
    });
    server.await
}

async fn subscribe(exchange: Exchange, step: Step, gate: Gate) {
    let id = exchange.message["id"].clone();
    let about = json!({"io.modelcontextprotocol/subscriptionId": id});
    let event = |message: Value| format!("data: {message}\n\n");
    let accepted = json!({"toolsListChanged": true, "resourceSubscriptions": ["test://a"]});
    let agreed = event(json!({
        "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
        "params": {"_meta": about, "notifications": accepted},
    }));
    match step {
        Step::Last => {
            let told = event(json!({
                "jsonrpc": "2.0", "method": "notifications/resources/updated",
                "params": {"_meta": about, "uri": "test://a/b"},
            }));
            exchange.stream(&(agreed + &told)).await.hang().await;
        }
        Step::Cut => {
            let exchange = exchange.stream(&agreed).await;
            gate.passed().await;
            exchange.reset();
        }
        Step::End => {
            let result = json!({"resultType": "complete", "_meta": about});
            let end = event(json!({"jsonrpc": "2.0", "id": id, "result": result}));
            let mut exchange = exchange.stream(&agreed).await;
            gate.passed().await;
            exchange.event(&end).await;
            exchange.hang().await;
        }
        Step::Reset => exchange.reset(),
        Step::Status(status) => exchange.reply(status, "", "").await,
        Step::Error(code) => {
            let error = json!({"code": code, "message": "no"});
            let answer = json!({"jsonrpc": "2.0", "id": id, "error": error});
            let headers = "content-type: application/json\r\n";
            exchange.reply(200, headers, &answer.to_string()).await;
        }
    }
}

fn open() -> Gate {
    let gate = Gate::new();
    gate.open();
    gate
}

/// Pauses that are short enough for a test.
fn reconnect() -> Reconnect {
    Reconnect {
        first_pause: Duration::from_millis(1),
        max_pause: Duration::from_millis(10),
        ..Reconnect::default()
    }
}

async fn client(server: &Scripted) -> Client {
    let client = Client::builder("test", "1").reconnect(reconnect());
    let client = client.era(Era::Stateless);
    let url = http_client(server.url()).retries(0);
    in_time(client.connect(url)).await.unwrap()
}

async fn subscribed(client: &Client) -> Subscription {
    let filter = SubscriptionFilter::new()
        .with_tools_list_changed(true)
        .with_resource_subscriptions(["test://a"]);
    in_time(client.subscribe_to(filter)).await.unwrap()
}

async fn next(subscription: &mut Subscription) -> Result<Option<Change>, CallError> {
    let told = in_time(subscription.next()).await?;
    Ok(told.map(|told| Change::by(&told).unwrap()))
}

#[tokio::test]
async fn a_stream_that_is_cut_is_opened_again_and_everything_counts_as_changed() {
    let steps = [
        Step::Cut,
        Step::Reset,
        Step::Status(503),
        Step::Error(-32603),
        Step::Last,
    ];
    let server = server(steps, &open()).await;
    let client = client(&server).await;
    let mut subscription = subscribed(&client).await;
    let resource = |uri: &str| Change::Resource(uri.to_owned());
    for expected in [Change::Tools, resource("test://a"), resource("test://a/b")] {
        assert_eq!(next(&mut subscription).await.unwrap(), Some(expected));
    }
    assert_eq!(server.count("subscriptions/listen"), 5);
    assert_eq!(server.count("server/discover"), 1);
}

#[tokio::test]
async fn a_refusal_ends_a_subscription() {
    for refusal in [Step::Error(-32601), Step::Status(401), Step::Status(403)] {
        let server = server([Step::Cut, refusal], &open()).await;
        let client = client(&server).await;
        let mut subscription = subscribed(&client).await;
        let error = next(&mut subscription).await.unwrap_err();
        assert!(
            matches!(error, CallError::Rpc(_) | CallError::Http(_)),
            "{refusal:?}: {error}"
        );
        assert_eq!(next(&mut subscription).await.unwrap(), None);
        assert_eq!(server.count("subscriptions/listen"), 2, "{refusal:?}");
    }
}

#[tokio::test]
async fn the_result_of_the_server_ends_a_subscription_of_a_user() {
    let server = server([Step::End], &open()).await;
    let client = client(&server).await;
    let mut subscription = subscribed(&client).await;
    assert_eq!(next(&mut subscription).await.unwrap(), None);
    assert_eq!(server.count("subscriptions/listen"), 1);
}

#[tokio::test]
async fn a_server_that_does_not_come_back_is_given_up() {
    let server = server([Step::Cut, Step::Reset], &open()).await;
    let client = client(&server).await;
    let mut subscription = subscribed(&client).await;
    let error = next(&mut subscription).await.unwrap_err();
    assert!(matches!(error, CallError::Lost(_)), "{error}");
    let tries = Reconnect::default().tries.unwrap() as usize;
    assert_eq!(server.count("subscriptions/listen"), 1 + tries);
}

/// Returns the tools of a proxy for `server` after that server was replaced.
async fn replaced(server: &Scripted, gate: &Gate) -> Value {
    let url = server.url();
    let upstream = Upstream::new(move |client| {
        let client = client.reconnect(reconnect()).era(Era::Stateless);
        client.connect(http_client(url.clone()).retries(0))
    });
    let mut wire = Wire::to(&Proxy::new(upstream).into_server()).await;
    wire.handshake("2025-11-25").await;
    gate.open();
    let told = in_time(wire.next()).await.unwrap();
    assert_eq!(told["method"], "notifications/tools/list_changed");
    wire.send(request(1, "tools/list", json!({}))).await;
    loop {
        let message = in_time(wire.next()).await.unwrap();
        if message["id"] == 1 {
            return message["result"]["tools"].clone();
        }
    }
}

#[tokio::test]
async fn a_proxy_survives_a_rolling_restart() {
    let gate = Gate::new();
    let steps = [
        Step::End,
        Step::Error(-32603),
        Step::Status(502),
        Step::Reset,
        Step::Last,
    ];
    let server = server(steps, &gate).await;
    assert_eq!(replaced(&server, &gate).await, tools(5));
}

#[tokio::test]
async fn a_proxy_follows_again_after_its_stream_was_cut() {
    let gate = Gate::new();
    let server = server([Step::Cut, Step::Reset, Step::Last], &gate).await;
    assert_eq!(replaced(&server, &gate).await, tools(3));
}

#[tokio::test]
async fn a_proxy_does_not_give_up() {
    let steps = [Step::Cut].into_iter().chain([Step::Reset; 12]);
    let gate = Gate::new();
    let server = server(steps.chain([Step::Last]), &gate).await;
    assert_eq!(replaced(&server, &gate).await, tools(14));
}
