//! The outcomes of a client's calls.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_runtime::types::{
    CallToolResult, Era, ListRootsRequest, ProgressNotificationParams, Request,
};
use mcp_runtime::{CallError, Client, ClientBuilder, LifecycleState, Timeouts, Unavailable};
use serde_json::json;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::support::clock::in_time;
use crate::support::scripted::{operating, said, stateless};

const SECOND: Duration = Duration::from_secs(1);

fn builder() -> ClientBuilder {
    Client::builder("test", "1.0.0").without_keep_alive()
}

type Calling = JoinHandle<Result<CallToolResult, CallError>>;

fn call(client: &Client, name: &str) -> Calling {
    tokio::spawn(client.call_tool(name, json!({"n": 1})).into_future())
}

#[tokio::test]
async fn answers_find_their_calls_in_any_order() {
    let (client, mut server) = operating(builder()).await;
    let first = call(&client, "first");
    let second = call(&client, "second");
    let (one, params) = server.expect("tools/call").await;
    assert_eq!(params, json!({"name": "first", "arguments": {"n": 1}}));
    let (two, _) = server.expect("tools/call").await;
    assert_ne!(one, two);
    server.answer(&json!("nobody's"), json!({})).await;
    server.answer(&two, said("2")).await;
    server.answer(&one, said("1")).await;
    server.answer(&one, said("again")).await;
    for (call, expected) in [(first, "1"), (second, "2")] {
        let result = call.await.unwrap().unwrap();
        assert_eq!(result, serde_json::from_value(said(expected)).unwrap());
    }
}

#[tokio::test]
async fn a_stateless_call_says_all() {
    let (client, mut server) = stateless(builder()).await;
    let calling = call(&client, "add");
    let (id, params) = server.expect("tools/call").await;
    assert_eq!(params["arguments"], json!({"n": 1}));
    assert_eq!(
        params["_meta"],
        json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1.0.0"},
            "io.modelcontextprotocol/clientCapabilities": {},
        })
    );
    let question = json!({"method": "roots/list"});
    let wish = json!({"resultType": "input_required", "inputRequests": {"where": question}});
    server.answer(&id, wish).await;
    let wish = calling.await.unwrap().unwrap_err();
    assert!(matches!(wish, CallError::InputRequired { .. }), "{wish}");
}

#[tokio::test]
async fn an_abandoned_call_is_cancelled() {
    let (client, mut server) = operating(builder()).await;
    let calling = call(&client, "slow");
    let (id, _) = server.expect("tools/call").await;
    calling.abort();
    let (_, params) = server.expect("notifications/cancelled").await;
    assert_eq!(params["requestId"], id);
    server.answer(&id, said("too late")).await;
    let next = call(&client, "next");
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, said("in time")).await;
    next.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_a_minute_unless_told_otherwise() {
    let (client, mut server) = operating(builder()).await;
    for seconds in [60, 5] {
        let slow = client.call_tool("slow", ());
        let calling = tokio::spawn(match seconds {
            60 => slow.into_future(),
            _ => slow.timeout(seconds * SECOND).into_future(),
        });
        let start = Instant::now();
        let (id, _) = server.expect("tools/call").await;
        let error = calling.await.unwrap().unwrap_err();
        let waited = seconds * SECOND;
        assert_eq!(start.elapsed().as_secs(), waited.as_secs());
        let CallError::Timeout { method, .. } = error else {
            panic!("{error}")
        };
        assert_eq!(method, "tools/call");
        let (_, params) = server.expect("notifications/cancelled").await;
        assert_eq!(params["requestId"], id);
    }
}

#[tokio::test(start_paused = true)]
async fn progress_is_reported_and_extends_the_wait_if_wanted() {
    let (client, mut server) = operating(builder()).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let news = Arc::clone(&seen);
    let timeouts = Timeouts {
        idle: 10 * SECOND,
        total: 25 * SECOND,
        reset_on_progress: true,
    };
    let call = client.call_tool("slow", ()).timeouts(timeouts);
    let call = call.on_progress(move |progress| news.lock().unwrap().push(progress.progress));
    let start = Instant::now();
    let calling = tokio::spawn(call.into_future());
    let (_, params) = server.expect("tools/call").await;
    let token = &params["_meta"]["progressToken"];
    assert!(token.is_i64(), "{params}");
    for progress in [1, 2, 3] {
        tokio::time::sleep(8 * SECOND).await;
        let news = json!({"progressToken": token, "progress": progress});
        server.notify("notifications/progress", news).await;
    }
    let error = calling.await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Timeout { .. }), "{error}");
    assert_eq!(start.elapsed().as_secs(), 25, "never past the maximum");
    assert_eq!(*seen.lock().unwrap(), [1.0, 2.0, 3.0]);
}

#[tokio::test]
async fn an_observer_of_the_client_gets_the_progress_of_each_call() {
    for era in [Era::Handshake, Era::Stateless] {
        let all = Amounts::default();
        let one = Amounts::default();
        let builder = builder().on_progress(all.push());
        let (client, mut server) = match era {
            Era::Handshake => operating(builder).await,
            Era::Stateless => stateless(builder).await,
        };
        let observe = one.push();
        let observed = client
            .call_tool("observed", ())
            .on_progress(move |progress| observe(&progress));
        let plain = client.call_tool("plain", ());
        for call in [observed, plain] {
            let calling = tokio::spawn(call.into_future());
            let (id, params) = server.expect("tools/call").await;
            let token = &params["_meta"]["progressToken"];
            assert_eq!(*token, id, "{params}");
            let news = json!({"progressToken": token, "progress": 1});
            server.notify("notifications/progress", news).await;
            server.answer(&id, said("done")).await;
            in_time(calling).await.unwrap().unwrap();
        }
        assert_eq!(all.amounts(), [1.0, 1.0], "{era:?}");
        assert_eq!(one.amounts(), [1.0], "{era:?}");
    }
}

#[derive(Clone, Default)]
struct Amounts(Arc<Mutex<Vec<f64>>>);

impl Amounts {
    fn push(&self) -> impl Fn(&ProgressNotificationParams) + Send + Sync + 'static {
        let amounts = Arc::clone(&self.0);
        move |progress| amounts.lock().unwrap().push(progress.progress)
    }

    fn amounts(&self) -> Vec<f64> {
        self.0.lock().unwrap().clone()
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_stops_the_clocks_of_the_calls_it_may_belong_to() {
    let builder = builder().on_form(async |form| {
        tokio::time::sleep(100 * SECOND).await;
        form.decline()
    });
    let (client, mut server) = operating(builder).await;
    let start = Instant::now();
    let timeouts = Timeouts {
        idle: 10 * SECOND,
        total: 25 * SECOND,
        reset_on_progress: true,
    };
    let asking = client.call_tool("ask", ()).timeouts(timeouts);
    let asking = tokio::spawn(asking.into_future());
    let (_, params) = server.expect("tools/call").await;
    let token = params["_meta"]["progressToken"].clone();
    let unrelated = tokio::spawn({
        let client = client.clone();
        async move { client.ping().await }
    });
    server.expect("ping").await;
    tokio::time::sleep(4 * SECOND).await;
    let form = json!({"message": "?", "requestedSchema": {"type": "object", "properties": {}}});
    server
        .send(json!({"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": form}))
        .await;
    // This call begins while the question is already open.
    let later = client.call_tool("later", ()).timeout(7 * SECOND);
    let later = tokio::spawn(later.into_future());
    server.expect("tools/call").await;
    later.await.unwrap().unwrap_err();
    assert_eq!(start.elapsed().as_secs(), 11);
    server.expect("notifications/cancelled").await;
    unrelated.await.unwrap().unwrap_err();
    assert_eq!(start.elapsed().as_secs(), 60);
    server.expect("notifications/cancelled").await;

    let reply = server.next().await.unwrap();
    assert_eq!(reply["result"]["action"], "decline", "{reply}");
    assert_eq!(start.elapsed().as_secs(), 104);
    tokio::time::sleep(5 * SECOND).await;
    let news = json!({"progressToken": token, "progress": 1});
    server.notify("notifications/progress", news).await;
    let error = asking.await.unwrap().unwrap_err();
    let CallError::Timeout { waited, .. } = error else {
        panic!("{error}")
    };
    assert_eq!(
        start.elapsed().as_secs(),
        119,
        "10 seconds after its progress"
    );
    assert_eq!(waited.as_secs(), 19, "without the time of the question");
}

#[tokio::test]
async fn nobody_waits_for_a_server_that_is_gone() {
    let (client, mut server) = operating(builder()).await;
    let calls = [call(&client, "one"), call(&client, "two")];
    for _ in &calls {
        server.expect("tools/call").await;
    }
    drop(server);
    for call in calls {
        let error = call.await.unwrap().unwrap_err();
        assert!(matches!(error, CallError::Closed), "{error}");
    }
    let mut status = client.watch_status();
    in_time(async {
        while status.current().lifecycle != LifecycleState::Terminated {
            status.changed().await.unwrap();
        }
    })
    .await;
    client.list_tools().await.unwrap_err();
}

#[tokio::test]
async fn the_server_may_ping_and_nothing_else_is_offered() {
    let (_client, mut server) = operating(builder()).await;
    let ask = |id: i64, method: &str| json!({"jsonrpc": "2.0", "id": id, "method": method});
    server.send(ask(1, "ping")).await;
    let pong = server.next().await.unwrap();
    assert_eq!(pong, json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    for method in [
        ListRootsRequest::METHOD,
        "sampling/createMessage",
        "nonsense",
    ] {
        server.send(ask(2, method)).await;
        let refusal = server.next().await.unwrap();
        assert_eq!(refusal["error"]["code"], -32601, "{refusal}");
        assert!(
            refusal["error"]["message"]
                .as_str()
                .unwrap()
                .contains(method)
        );
    }
}

#[tokio::test]
async fn rubbish_is_skipped() {
    let (client, mut server) = operating(builder()).await;
    let calling = call(&client, "add");
    let (id, _) = server.expect("tools/call").await;
    for rubbish in [
        "hello from the server",
        "[]",
        "{}",
        "\u{0}",
        "{\"id\":",
        "7",
    ] {
        server.send_text(rubbish).await;
    }
    server.answer(&id, said("5")).await;
    calling.await.unwrap().unwrap();
    client.close().await;
    assert_eq!(server.next().await, None, "rubbish is not answered");
}

#[tokio::test]
async fn a_stateless_server_gets_no_responses() {
    let (client, mut server) = stateless(builder()).await;
    let ask = json!({"jsonrpc": "2.0", "id": 1, "method": "roots/list"});
    server.send(ask).await;
    let calling = call(&client, "add");
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, said("5")).await;
    calling.await.unwrap().unwrap();
}

#[tokio::test]
async fn what_is_not_offered_is_not_sent() {
    let (client, mut server) = operating(builder()).await;
    let refused = client
        .request::<mcp_runtime::types::ListPromptsRequest>(Default::default())
        .await
        .unwrap_err();
    assert!(matches!(
        refused,
        CallError::Unavailable(Unavailable::NotOffered {
            capability: "prompts",
            ..
        })
    ));
    client.close().await;
    assert_eq!(server.next().await, None);
    let late = client.ping().await.unwrap_err();
    assert!(matches!(late, CallError::NotSent(_)), "{late}");
}

#[tokio::test]
async fn arguments_must_have_a_json_form() {
    let (client, _server) = operating(builder()).await;
    let arguments = std::collections::HashMap::from([((1, 2), 3)]);
    let refused = client.call_tool("add", arguments).await.unwrap_err();
    assert!(matches!(refused, CallError::Params(_)), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn calls_that_wait_are_cancelled_when_the_client_is_closed() {
    let asked = builder().on_sample(async |_| std::future::pending().await);
    let (client, mut server) = operating(asked).await;
    let calling = call(&client, "slow");
    let (id, _) = server.expect("tools/call").await;
    let question = json!({"messages": [], "maxTokens": 1});
    server
        .send(json!({"jsonrpc": "2.0", "id": "q", "method": "sampling/createMessage", "params": question}))
        .await;
    // Every request that was sent before the ping has reached its handler.
    let (pinging, ping) = tokio::join!(client.ping(), async {
        let (ping, _) = server.expect("ping").await;
        server.answer(&ping, json!({})).await;
    });
    pinging.unwrap();
    let () = ping;
    let closing = tokio::spawn(async move { client.close().await });
    let (_, params) = server.expect("notifications/cancelled").await;
    assert_eq!(params["requestId"], id);
    let error = calling.await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Closed), "{error}");
    closing.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_call_without_room_says_that_it_was_not_sent() {
    let (client, _server) = operating(builder()).await;
    let large = json!({"text": "x".repeat(200_000)});
    let first = client.call_tool("slow", &large).timeout(5 * SECOND);
    let second = client.call_tool("slow", &large).timeout(SECOND);
    let (first, second) = tokio::join!(first.into_future(), second.into_future());
    assert!(matches!(first, Err(CallError::Timeout { .. })), "{first:?}");
    let error = second.unwrap_err();
    assert!(matches!(error, CallError::Full), "{error}");
    assert!(error.to_string().contains("nothing was sent"), "{error}");
}
