//! Results of extensions in place of the protocol's results.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_runtime::BoxFuture;
use mcp_runtime::client::ClientExtension;
use mcp_runtime::types::{InputRequest, JsonObject, OrderedMap, RawJson, Request, Root};
use mcp_runtime::{CallError, Client, ClientBuilder, Revision};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::support::clock::in_time;
use crate::support::scripted::{Scripted, discovered, said};

const TICKETS: &str = "com.example/tickets";

/// Claims tickets. Fetches results with `com.example/redeem`, and returns unwanted tickets with
/// `com.example/refund`.
#[derive(Clone, Default)]
struct Tickets {
    asked: Arc<Mutex<Vec<String>>>,
}

enum Redeem {}

impl Request for Redeem {
    const METHOD: &'static str = "com.example/redeem";
    const PARAMS_OPTIONAL: bool = false;
    const MAY_REQUIRE_INPUT: bool = false;
    const EXTENSION: Option<&'static str> = Some(TICKETS);
    type Params = JsonObject;
    type Result = RawJson;
}

enum Refund {}

impl Request for Refund {
    const METHOD: &'static str = "com.example/refund";
    const PARAMS_OPTIONAL: bool = false;
    const MAY_REQUIRE_INPUT: bool = false;
    const EXTENSION: Option<&'static str> = Some(TICKETS);
    type Params = JsonObject;
    type Result = JsonObject;
}

/// Returns the parameters of a request about a ticket.
fn about(result: &RawJson) -> JsonObject {
    let result: JsonObject = result.parse().unwrap();
    JsonObject::from_iter([("ticket".to_owned(), result["ticket"].clone())])
}

impl ClientExtension for Tickets {
    fn id(&self) -> &'static str {
        TICKETS
    }

    fn settings(&self, _: Revision) -> Option<JsonObject> {
        Some(JsonObject::new())
    }

    fn claim(
        &self,
        client: &Client,
        method: &str,
        result: &RawJson,
    ) -> Option<BoxFuture<Result<RawJson, CallError>>> {
        self.asked.lock().unwrap().push(method.to_owned());
        let is_ticket = result.get().contains("com.example/ticket");
        let redeem = client.request::<Redeem>(about(result));
        is_ticket.then(|| {
            let redeem = redeem.into_future();
            Box::pin(async move {
                let answer: JsonObject = redeem.await?.parse().unwrap();
                Ok(RawJson::encode(&answer["result"]))
            }) as BoxFuture<_>
        })
    }

    fn abandoned(&self, client: &Client, method: &str, result: &RawJson) -> Option<BoxFuture<()>> {
        self.asked.lock().unwrap().push(format!("late {method}"));
        let refund = client.request::<Refund>(about(result));
        Some(Box::pin(async move { drop(refund.await) }))
    }
}

fn builder() -> ClientBuilder {
    Client::builder("test", "1.0.0").without_keep_alive()
}

async fn connected(builder: ClientBuilder, extensions: Value) -> (Client, Scripted) {
    let (ours, mut server) = Scripted::pair();
    let served = async {
        let (id, _) = server.expect("server/discover").await;
        let mut result = discovered(&["2026-07-28"]);
        result["capabilities"]["extensions"] = extensions;
        server.answer(&id, result).await;
    };
    let (client, ()) = tokio::join!(builder.connect(ours), served);
    (client.unwrap(), server)
}

/// Connects a client with tickets to a server with tickets.
async fn with_tickets() -> (Client, Scripted, Tickets) {
    let tickets = Tickets::default();
    let builder = builder().extension(tickets.clone());
    let (client, server) = connected(builder, json!({TICKETS: {}})).await;
    (client, server, tickets)
}

fn ticket() -> Value {
    json!({"resultType": "com.example/ticket", "ticket": "7"})
}

fn complete(text: &str) -> Value {
    let mut result = said(text);
    result["resultType"] = json!("complete");
    result
}

fn started<T: Send + 'static>(call: impl IntoFuture<IntoFuture = BoxFuture<T>>) -> JoinHandle<T> {
    tokio::spawn(call.into_future())
}

/// Answers a call with a ticket, and the request for the ticket's result with `result`.
async fn redeem(server: &mut Scripted, result: Value) {
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, ticket()).await;
    let (id, params) = server.expect("com.example/redeem").await;
    assert_eq!(params["ticket"], "7");
    server.answer(&id, json!({"result": result})).await;
}

#[tokio::test]
async fn a_claimed_result_ends_in_that_of_the_call() {
    let (client, mut server, tickets) = with_tickets().await;
    let typed = started(client.call::<i64>("add", json!({})));
    redeem(&mut server, complete("5")).await;
    assert_eq!(typed.await.unwrap().unwrap(), 5);
    let untyped = started(client.call_tool("add", json!({})));
    redeem(&mut server, complete("six")).await;
    let result = untyped.await.unwrap().unwrap();
    assert_eq!(result.content[0].as_text(), Some("six"));
    assert_eq!(*tickets.asked.lock().unwrap(), ["tools/call"; 2]);

    // Results that the protocol knows are never claimed, and unknown results are not always
    // claimed.
    let plain = started(client.call_tool("add", json!({})));
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, complete("seven")).await;
    plain.await.unwrap().unwrap();
    assert_eq!(tickets.asked.lock().unwrap().len(), 2);
    let other = started(client.call_tool("add", json!({})));
    let (id, _) = server.expect("tools/call").await;
    let unknown = json!({"resultType": "com.example/other", "ticket": "7"});
    server.answer(&id, unknown).await;
    let error = other.await.unwrap().unwrap_err().to_string();
    assert!(error.contains("com.example/other"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn time_limits_of_a_call_do_not_apply_to_its_claim() {
    let (client, mut server, _) = with_tickets().await;
    let call = client.call::<i64>("add", json!({}));
    let call = started(call.timeout(Duration::from_secs(1)));
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, ticket()).await;
    let (id, _) = server.expect("com.example/redeem").await;
    tokio::time::advance(Duration::from_secs(30)).await;
    server.answer(&id, json!({"result": complete("5")})).await;
    assert_eq!(call.await.unwrap().unwrap(), 5);
}

#[tokio::test]
async fn a_claim_may_fail() {
    let (client, mut server, _) = with_tickets().await;
    let call = started(client.call::<i64>("add", json!({})));
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, ticket()).await;
    let (id, _) = server.expect("com.example/redeem").await;
    server.refuse(&id, -32602, Value::Null).await;
    let error = call.await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Rpc(_)), "{error}");
}

#[tokio::test]
async fn a_claim_ends_in_a_complete_result() {
    let wish = json!({"resultType": "input_required", "requestState": "s"});
    for incomplete in [ticket(), wish] {
        let (client, mut server, tickets) = with_tickets().await;
        let call = started(client.call::<i64>("add", json!({})));
        redeem(&mut server, incomplete).await;
        let error = call.await.unwrap().unwrap_err().to_string();
        assert!(error.contains("not complete"), "{error}");
        assert_eq!(tickets.asked.lock().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn nothing_is_claimed_unless_both_sides_declared_the_extension() {
    let tickets = Tickets::default();
    let with = builder().extension(tickets.clone());
    for (builder, declared) in [(with, json!({})), (builder(), json!({TICKETS: {}}))] {
        let (client, mut server) = connected(builder, declared).await;
        let call = started(client.call_tool("add", json!({})));
        let (id, _) = server.expect("tools/call").await;
        server.answer(&id, ticket()).await;
        let error = call.await.unwrap().unwrap_err().to_string();
        assert!(error.contains("unknown `resultType`"), "{error}");
    }
    assert!(tickets.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_result_that_comes_after_its_caller_is_gone_is_handed_over() {
    let (client, mut server, tickets) = with_tickets().await;
    let call = started(client.call_tool("add", json!({})));
    let (id, _) = server.expect("tools/call").await;
    call.abort();
    server.expect("notifications/cancelled").await;
    server.answer(&id, ticket()).await;
    let (id, params) = in_time(server.expect("com.example/refund")).await;
    assert_eq!(params["ticket"], "7");
    server.answer(&id, json!({})).await;
    assert_eq!(*tickets.asked.lock().unwrap(), ["late tools/call"]);

    // A complete result is no longer needed.
    let call = started(client.call_tool("add", json!({})));
    let (id, _) = server.expect("tools/call").await;
    call.abort();
    server.expect("notifications/cancelled").await;
    server.answer(&id, complete("5")).await;
    let next = started(client.call_tool("add", json!({})));
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, complete("5")).await;
    next.await.unwrap().unwrap();
    assert_eq!(tickets.asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_result_that_its_caller_has_not_looked_at_is_handed_over() {
    let (client, mut server, tickets) = with_tickets().await;
    let mut notifications = client.notifications();
    let mut call = client.call_tool("add", json!({})).into_future();
    let (id, _) = tokio::select! {
        _ = &mut call => panic!("nothing has come yet"),
        sent = server.expect("tools/call") => sent,
    };
    server.answer(&id, ticket()).await;
    server.notify("com.example/next", json!({})).await;
    in_time(notifications.next()).await.unwrap();
    drop(call);
    let (_, params) = in_time(server.expect("com.example/refund")).await;
    assert_eq!(params["ticket"], "7");
    assert_eq!(*tickets.asked.lock().unwrap(), ["late tools/call"]);
}

#[tokio::test(start_paused = true)]
async fn a_result_is_late_for_a_minute() {
    let (client, mut server, tickets) = with_tickets().await;
    let call = started(client.call_tool("add", json!({})));
    let (id, _) = server.expect("tools/call").await;
    call.abort();
    server.expect("notifications/cancelled").await;
    tokio::time::sleep(Duration::from_secs(61)).await;
    server.answer(&id, ticket()).await;
    let next = started(client.call_tool("add", json!({})));
    // The request was cancelled only once.
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, complete("5")).await;
    next.await.unwrap().unwrap();
    assert!(tickets.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn an_open_call_has_its_result_as_it_came() {
    let (client, mut server, tickets) = with_tickets().await;
    let call = client.call::<i64>("add", json!({}));
    let converter = call.converter();
    assert_eq!(converter.tool(), Some("add"));
    let open = tokio::spawn(call.raw());
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, ticket()).await;
    let raw = open.await.unwrap().unwrap();
    assert!(tickets.asked.lock().unwrap().is_empty());

    let error = converter.complete(raw).await.unwrap_err().to_string();
    assert!(error.contains("not complete"), "{error}");
    let again = client.call::<i64>("add", json!({})).converter();
    let sum = again.complete(RawJson::from(complete("5"))).await;
    assert_eq!(sum.unwrap(), 5);
    let untyped = client.call_tool("add", json!({})).converter();
    assert_eq!(untyped.tool(), Some("add"));
    let mut failed = said("broken");
    failed["isError"] = json!(true);
    let failed = untyped.complete(RawJson::from(failed)).await.unwrap();
    assert_eq!(failed.is_error, Some(true));
}

#[tokio::test]
async fn handlers_answer_what_an_extension_is_asked() {
    let roots = || OrderedMap::from_iter([("roots".to_owned(), InputRequest::ListRoots(None))]);
    let with = builder().roots([Root::new("file:///a")]);
    let (client, _server) = connected(with, json!({})).await;
    let answers = client.answer("com.example/redeem", roots()).await.unwrap();
    let answer: Value = answers["roots"].parse().unwrap();
    assert_eq!(answer["roots"][0]["uri"], "file:///a");

    let (client, _server) = connected(builder(), json!({})).await;
    match client.answer("com.example/redeem", roots()).await {
        Err(CallError::InputRequired { method, wanted }) => {
            assert_eq!(method, "com.example/redeem");
            assert_eq!(wanted.input_requests.unwrap().len(), 1);
        }
        other => panic!("{other:?}"),
    }
}
