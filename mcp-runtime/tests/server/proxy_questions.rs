//! Questions of a server behind a proxy, passed on to the caller.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use mcp_runtime::prelude::*;
use mcp_runtime::server::Proxy;
use mcp_runtime::server::input::{AskError, Elicited};
use mcp_runtime::transport::memory;
use mcp_runtime::types::{CreateMessageResult, SamplingMessageContentBlock, TextContent};
use mcp_runtime::{CallError, Client, ClientBuilder, ProtocolError, Revision, Server};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::client::connect;
use crate::support::{Wire, call};

const REVISIONS: [Revision; 2] = [Revision::V2025_11_25, Revision::V2026_07_28];

#[derive(Deserialize, JsonSchema, Elicit)]
struct Address {
    city: String,
}

struct Shop {
    waits: Arc<Notify>,
}

#[mcp_server]
impl Shop {
    /// Asks where to send it.
    #[tool]
    async fn order(&self, cx: &Context) -> Result<String, AskError> {
        let asked = cx.elicit::<Address>("Where to?").outcome().await?;
        Ok(match asked {
            Elicited::Accepted(address) => format!("sent to {}", address.city),
            Elicited::Declined => "declined".to_owned(),
            Elicited::Cancelled => "cancelled".to_owned(),
        })
    }

    /// Sends the user to a page.
    #[tool]
    async fn pay(&self, cx: &Context) -> Result<String, AskError> {
        let asked = cx.elicit_url("Pay here.", "https://example.com/pay");
        Ok(format!("{:?}", asked.outcome().await?))
    }

    /// Asks the model.
    #[tool]
    async fn think(&self, cx: &Context) -> Result<String, AskError> {
        let sampled = cx.sample("What now?").max_tokens(7).await?;
        Ok(sampled.text())
    }

    /// Keeps a call in flight.
    #[tool]
    async fn wait(&self) -> String {
        self.waits.notify_one();
        std::future::pending().await
    }
}

async fn proxy(revision: Revision, waits: &Arc<Notify>) -> Server {
    open(Proxy::new(), revision, waits).await
}

/// Opens a proxy for a shop that speaks `revision`.
async fn open(proxy: Proxy, revision: Revision, waits: &Arc<Notify>) -> Server {
    let waits = Arc::clone(waits);
    let shop = Shop { waits }.into_server();
    let client = proxy.client("proxy", "1").revision(revision);
    let client = connect(client, &shop).await;
    proxy.server(&client).await.unwrap()
}

/// Returns the answers of a tool for every combination of the two sides' eras.
async fn answers(tool: &str, client: impl Fn() -> ClientBuilder) -> Vec<String> {
    let mut answers = Vec::new();
    for behind in REVISIONS {
        for before in REVISIONS {
            let proxy = proxy(behind, &Arc::default()).await;
            let caller = connect(client().revision(before), &proxy).await;
            let result = caller.call_tool(tool, json!({})).await.unwrap();
            let ContentBlock::Text(text) = &result.content[0] else {
                panic!("{result:?}");
            };
            answers.push(text.text.clone());
        }
    }
    answers
}

fn anybody() -> ClientBuilder {
    Client::builder("caller", "1")
}

#[tokio::test]
async fn forms_are_shown_to_the_caller() {
    let accepting = || {
        anybody().on_form(async |form| {
            assert_eq!(form.message(), "Where to?");
            form.accept(json!({"city": "Rome"}))
        })
    };
    assert_eq!(answers("order", accepting).await, ["sent to Rome"; 4]);
    let declining = || anybody().on_form(async |form| form.decline());
    assert_eq!(answers("order", declining).await, ["declined"; 4]);
}

/// Returns the error of a tool for a caller that can't be asked.
async fn refusal(server: &Server, tool: &str, revision: Revision) -> ProtocolError {
    let caller = connect(anybody().revision(revision), server).await;
    match caller.call_tool(tool, json!({})).await {
        Err(CallError::Rpc(error)) => error,
        other => panic!("{tool}: {other:?}"),
    }
}

#[tokio::test]
async fn a_caller_who_cannot_be_asked_gets_the_error_that_it_gets_without_the_proxy() {
    let shop = || Shop {
        waits: Arc::default(),
    };
    for tool in ["order", "pay", "think"] {
        for before in REVISIONS {
            let expected = refusal(&shop().into_server(), tool, before).await;
            for behind in REVISIONS {
                let proxy = proxy(behind, &Arc::default()).await;
                let error = refusal(&proxy, tool, before).await;
                assert_eq!(error, expected, "{tool}: {before} to {behind}");
            }
        }
    }
}

#[tokio::test]
async fn pages_are_opened_by_the_caller() {
    let accepting = || {
        anybody().on_page(async |page| {
            assert_eq!(page.url(), "https://example.com/pay");
            page.accept()
        })
    };
    assert_eq!(answers("pay", accepting).await, ["Accepted(())"; 4]);
}

#[tokio::test]
async fn the_model_of_the_caller_is_asked() {
    let thinking = || {
        anybody().on_sample(async |params| {
            assert_eq!(params.max_tokens, 7);
            let text = TextContent::new("nothing");
            let text = SamplingMessageContentBlock::Text(text);
            Ok(CreateMessageResult::new(Role::Assistant, text, "model"))
        })
    };
    assert_eq!(answers("think", thinking).await, ["nothing"; 4]);
}

#[tokio::test]
async fn a_question_that_might_be_meant_for_another_is_asked_of_nobody() {
    let waits = Arc::new(Notify::new());
    let proxy = proxy(Revision::V2025_11_25, &waits).await;
    let mut other = Wire::to(&proxy).await;
    other.handshake("2025-06-18").await;
    other.send(call(1, "wait", json!({}))).await;
    waits.notified().await;
    let client = anybody().on_form(async |_| panic!("the question may belong to another caller"));
    let caller = connect(client, &proxy).await;
    for tool in ["order", "pay", "think"] {
        let error = caller.call::<String>(tool, json!({})).await.unwrap_err();
        assert!(
            error.to_string().contains("calls of several callers"),
            "{tool}: {error}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn callers_who_wait_for_each_other_are_all_asked() {
    let waits = Arc::new(Notify::new());
    let proxy = Proxy::new().one_caller_at_a_time();
    let proxy = open(proxy, Revision::V2025_11_25, &waits).await;
    let mut other = Wire::to(&proxy).await;
    other.handshake("2025-06-18").await;
    other.send(call(1, "wait", json!({}))).await;
    waits.notified().await;

    let client = anybody().on_form(async |form| form.accept(json!({"city": "Rome"})));
    let caller = connect(client.revision(Revision::V2025_06_18), &proxy).await;
    let mut order = pin!(caller.call::<String>("order", json!({})).into_future());
    // The paused clock advances only when no task is ready.
    let waited = tokio::time::timeout(Duration::from_secs(1), &mut order).await;
    assert!(waited.is_err(), "{waited:?}");

    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    other.send(cancelled).await;
    assert_eq!(order.await.unwrap(), "sent to Rome");
}

/// Returns a proxy that separates callers, and the connection on which the test acts as the server
/// behind it.
async fn scripted() -> (Server, Wire) {
    let (ours, theirs) = memory::pair();
    let mut behind = Wire::with(theirs, tokio::spawn(async { Ok(()) })).await;
    let opening = async {
        let proxy = Proxy::new().one_caller_at_a_time();
        let client = proxy.client("proxy", "1").revision(Revision::V2025_11_25);
        let client = client.connect(ours).await.unwrap();
        proxy.server(&client).await.unwrap()
    };
    let tools = json!([{"name": "order", "inputSchema": {"type": "object"}}]);
    let answering = async {
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "script", "version": "1"},
        });
        answer(&mut behind, "initialize", hello).await;
        expect(&mut behind, "notifications/initialized").await;
        answer(&mut behind, "tools/list", json!({"tools": tools})).await;
    };
    let (server, ()) = tokio::join!(opening, answering);
    (server, behind)
}

#[tokio::test]
async fn a_question_outside_of_calls_is_answered_with_an_error() {
    let (_proxy, mut behind) = scripted().await;
    let form = json!({"type": "object", "properties": {}});
    let question = json!({"jsonrpc": "2.0", "id": 77, "method": "elicitation/create", "params": {
        "mode": "form", "message": "Where to?", "requestedSchema": form}});
    let reply = behind.ask(question).await;
    let reason = reply["error"]["message"].as_str().unwrap();
    assert_eq!(reason, "no caller can be asked: no call is in flight");
}

async fn expect(wire: &mut Wire, method: &str) -> Value {
    let message = wire.answer().await;
    assert_eq!(message["method"], method, "{message}");
    message
}

async fn answer(wire: &mut Wire, method: &str, result: Value) {
    let id = expect(wire, method).await["id"].clone();
    wire.send(json!({"jsonrpc": "2.0", "id": id, "result": result}))
        .await;
}

#[tokio::test]
async fn a_question_that_crosses_with_the_end_of_its_call_is_asked_of_nobody_else() {
    let (proxy, mut behind) = scripted().await;
    let mut first = Wire::to(&proxy).await;
    first.handshake("2025-06-18").await;
    first.send(call(1, "order", json!({}))).await;
    expect(&mut behind, "tools/call").await;
    let mut second = Wire::to(&proxy).await;
    second.handshake("2025-06-18").await;
    second.send(call(1, "order", json!({}))).await;

    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    first.send(cancelled).await;
    expect(&mut behind, "notifications/cancelled").await;
    let ping = expect(&mut behind, "ping").await;
    let form = json!({"type": "object", "properties": {}});
    let question = json!({"jsonrpc": "2.0", "id": 77, "method": "elicitation/create", "params": {
        "mode": "form", "message": "Where to?", "requestedSchema": form}});
    let reply = behind.ask(question).await;
    // The question belongs to the first caller, who can't be asked.
    assert_eq!(
        reply["error"]["message"], "Unsupported capability: elicitation.form",
        "{reply}"
    );

    behind
        .send(json!({"jsonrpc": "2.0", "id": ping["id"], "result": {}}))
        .await;
    answer(&mut behind, "tools/call", json!({"content": []})).await;
    let done = second.answer().await;
    assert!(done["result"].is_object(), "{done}");
}
