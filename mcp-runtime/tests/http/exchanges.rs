//! Requests whose HTTP exchange fails, and concurrent requests that must not be affected.

use std::sync::Arc;
use std::time::Duration;

use mcp_runtime::client::{Reconnect, Roots};
use mcp_runtime::transport::http_client::http_client;
use mcp_runtime::types::{CallToolResult, Root};
use mcp_runtime::{CallError, Client, ClientBuilder, Era, Timeouts};
use serde_json::json;

use crate::scripted::{Exchange, Gate, Script, Scripted};
use crate::support::clock::in_time;

fn builder() -> ClientBuilder {
    let reconnect = Reconnect {
        first_pause: Duration::from_millis(1),
        ..Reconnect::default()
    };
    Client::builder("test", "1")
        .era(Era::Handshake)
        .reconnect(reconnect)
}

async fn connect(builder: ClientBuilder, server: &Scripted) -> Client {
    in_time(builder.connect(http_client(server.url())))
        .await
        .unwrap()
}

fn text(result: &CallToolResult) -> String {
    serde_json::to_value(result).unwrap()["content"][0]["text"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn a_call_that_times_out_leaves_nothing_behind() {
    let server = Scripted::operating(|exchange| async {
        match &*exchange.name() {
            "tools/call" => exchange.hang().await,
            _ => exchange.accept().await,
        }
    });
    let server = server.await;
    let client = connect(builder(), &server).await;
    let calls = (0..20).map(|_| {
        let call = client.call_tool("silent", json!({}));
        tokio::spawn(call.timeout(Duration::from_millis(50)).into_future())
    });
    for call in calls.collect::<Vec<_>>() {
        let answer = in_time(call).await.unwrap();
        assert!(
            matches!(answer, Err(CallError::Timeout { .. })),
            "{answer:?}"
        );
    }
    server.until_seen("notifications/cancelled", 20).await;
    server.until_idle().await;
    client.close().await;
}

#[tokio::test]
async fn the_probe_of_a_server_that_does_not_answer_it_is_let_go() {
    let server = Scripted::operating(|exchange| async {
        match &*exchange.name() {
            "server/discover" => exchange.hang().await,
            _ => exchange.say("done").await,
        }
    });
    let server = server.await;
    let client = Client::builder("test", "1").probe_timeout(Duration::from_millis(50));
    let client = connect(client, &server).await;
    server.until_idle().await;
    in_time(client.call_tool("x", json!({})).into_future())
        .await
        .unwrap();
    assert_eq!(server.count("server/discover"), 1);
}

#[tokio::test]
async fn a_notification_that_is_not_answered_holds_up_other_notifications_alone() {
    let gate = Gate::new();
    let opened = gate.clone();
    let server = Scripted::operating(move |exchange| {
        let gate = gate.clone();
        async move {
            match &*exchange.name() {
                "notifications/roots/list_changed" => {
                    gate.passed().await;
                    exchange.accept().await;
                }
                _ => exchange.say("done").await,
            }
        }
    });
    let server = server.await;
    let roots = Roots::new([]);
    let client = connect(builder().roots(&roots), &server).await;
    for uri in ["file:///a", "file:///b"] {
        roots.set([Root::new(uri)]);
        server
            .until_seen("notifications/roots/list_changed", 1)
            .await;
        let answer = in_time(client.call_tool("x", json!({})).into_future()).await;
        assert_eq!(text(&answer.unwrap()), "done");
    }
    assert_eq!(server.count("notifications/roots/list_changed"), 1);
    opened.open();
    server
        .until_seen("notifications/roots/list_changed", 2)
        .await;
}

#[tokio::test]
async fn initialized_goes_first_and_is_waited_for_as_long_as_initialize() {
    let server = Scripted::new(|exchange| async {
        if exchange.name() == "notifications/initialized" {
            exchange.hang().await;
        } else if let Some(exchange) = exchange.shake_hands().await {
            exchange.say("done").await;
        }
    });
    let server = server.await;
    let timeouts = Timeouts {
        idle: Duration::from_millis(200),
        ..Timeouts::default()
    };
    let client = connect(builder().timeouts(timeouts), &server).await;
    let call = client.call_tool("x", json!({}));
    let answer = in_time(call.timeout(Duration::from_secs(60)).into_future()).await;
    assert_eq!(text(&answer.unwrap()), "done");
    assert_eq!(
        server.seen()[..2],
        ["initialize", "notifications/initialized"]
    );
    client.close().await;
}

#[tokio::test]
async fn a_lost_exchange_fails_its_own_call_alone() {
    let gate = Gate::new();
    let opened = gate.clone();
    let first = Arc::new(Script::new([true, false]));
    let server = Scripted::operating(move |exchange| {
        let gate = gate.clone();
        let first = Arc::clone(&first);
        async move {
            match (&*exchange.name(), exchange.tool()) {
                ("tools/call", "slow") => {
                    gate.passed().await;
                    exchange.say("slow").await;
                }
                ("tools/call", "reset") => exchange.reset(),
                _ if first.next() => exchange.reset(),
                ("tools/list", _) => exchange.result(json!({"tools": []})).await,
                _ => exchange.say("again").await,
            }
        }
    });
    let server = server.await;
    let client = connect(builder(), &server).await;
    let slow = tokio::spawn(client.call_tool("slow", json!({})).into_future());
    server.until_seen("tools/call", 1).await;
    let reset = in_time(client.call_tool("reset", json!({})).into_future()).await;
    assert!(matches!(reset, Err(CallError::Lost(_))), "{reset:?}");
    assert_eq!(server.count("tools/call"), 2);
    // A request that does no harm is repeated.
    assert!(in_time(client.list_tools()).await.unwrap().is_empty());
    assert_eq!(server.count("tools/list"), 2);
    opened.open();
    let slow = in_time(slow).await.unwrap().unwrap();
    assert_eq!(text(&slow), "slow");
    assert_eq!(server.count("initialize"), 1);
}

#[tokio::test]
async fn a_tool_that_may_be_repeated_is_when_its_exchange_is_lost() {
    let first = Arc::new(Script::new([true, false]));
    let server = Scripted::operating(move |exchange| {
        let first = Arc::clone(&first);
        async move {
            if first.next() {
                exchange.reset();
            } else {
                exchange.say("again").await;
            }
        }
    });
    let server = server.await;
    let client = connect(builder(), &server).await;
    let call = client.call_tool("x", json!({})).repeatable(true);
    let answer = in_time(call.into_future()).await.unwrap();
    assert_eq!(text(&answer), "again");
    assert_eq!(server.count("initialize"), 1);
}

#[tokio::test]
async fn a_call_that_could_not_be_sent_says_so() {
    let server = Scripted::operating(exchange_of_session).await;
    let server_url = http_client(server.url()).retries(0);
    let client = in_time(builder().connect(server_url)).await.unwrap();
    server.until_idle().await;
    server.stop().await;
    let answer = in_time(client.call_tool("x", json!({})).into_future()).await;
    let Err(CallError::NotSent(fault)) = answer else {
        panic!("{answer:?}");
    };
    assert_eq!(fault.kind(), std::io::ErrorKind::ConnectionRefused);
    assert!(
        fault.to_string().contains(&server.addr.to_string()),
        "{fault}"
    );
    // The session may still exist when the server comes back.
    assert_eq!(client.status().to_string(), "connected, operating");
}

async fn exchange_of_session(exchange: Exchange) {
    let session = exchange.header("mcp-session-id").to_owned();
    exchange.say(&session).await;
}

/// A refusal: status, headers and body.
type Refusal = (u16, &'static str, &'static str);

/// Creates a server that forgets its first session once it is operating, and answers with
/// `refusal`.
async fn forgetful((status, headers, body): Refusal) -> Scripted {
    let sessions = Arc::new(Script::new(["s-1", "s-2"]));
    Scripted::new(move |exchange| {
        let sessions = Arc::clone(&sessions);
        async move {
            if exchange.name() == "initialize" {
                return exchange.initialize(sessions.next()).await;
            }
            let Some(exchange) = exchange.shake_hands().await else {
                return;
            };
            match exchange.header("mcp-session-id") {
                "s-1" => {
                    if exchange.tool() == "later" {
                        // Answers take different amounts of time.
                        tokio::time::sleep(Duration::from_millis(50)).await;
                    }
                    let id = exchange.message["id"].to_string();
                    exchange
                        .reply(status, headers, &body.replace("ID", &id))
                        .await;
                }
                _ => exchange_of_session(exchange).await,
            }
        }
    })
    .await
}

#[tokio::test]
async fn calls_in_a_session_that_was_forgotten_are_repeated() {
    let server = forgetful((404, "", "")).await;
    let client = connect(builder(), &server).await;
    let tools = ["x", "later", "x", "later", "x"];
    let calls = tools.map(|tool| tokio::spawn(client.call_tool(tool, json!({})).into_future()));
    for call in calls {
        let answer = in_time(call).await.unwrap();
        assert_eq!(text(&answer.unwrap()), "s-2");
    }
    assert_eq!(server.count("initialize"), 2);
    assert_eq!(server.count("DELETE"), 0);
}

#[tokio::test]
async fn without_reconnection_a_call_in_a_forgotten_session_fails() {
    let server = forgetful((404, "", "")).await;
    let client = connect(builder().without_reconnect(), &server).await;
    let call = client.call_tool("x", json!({})).fail_fast();
    let answer = in_time(call.into_future()).await;
    assert!(matches!(answer, Err(CallError::SessionEnded)), "{answer:?}");
}

#[tokio::test]
async fn a_session_that_was_forgotten_is_opened_again_however_the_server_says_so() {
    for refusal in [
        (410, "", ""),
        (400, "", "Bad Request: No valid session ID provided"),
        (
            400,
            "",
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"No Session"}}"#,
        ),
        (401, "", r#"{"error":"invalid_session"}"#),
        (
            404,
            "",
            r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32001,"message":"Session not found"}}"#,
        ),
        (503, "", "unknown session"),
    ] {
        let server = forgetful(refusal).await;
        let client = connect(builder(), &server).await;
        let answer = in_time(client.call_tool("x", json!({})).into_future()).await;
        assert_eq!(text(&answer.unwrap()), "s-2", "{refusal:?}");
        assert_eq!(server.count("initialize"), 2, "{refusal:?}");
        assert_eq!(server.count("tools/call"), 2, "{refusal:?}");
    }
}

#[tokio::test]
async fn a_refusal_for_another_reason_ends_no_session() {
    for refusal in [
        (400, "", "Bad Request"),
        (
            400,
            "",
            r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"no such tool"}}"#,
        ),
        (
            404,
            "",
            r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"not found"}}"#,
        ),
        (
            401,
            "www-authenticate: Bearer\r\n",
            "the session has expired",
        ),
        (403, "", "no session"),
        (500, "", "no session"),
        (
            503,
            "retry-after: 3600\r\n",
            "the store of sessions is down",
        ),
    ] {
        let server = forgetful(refusal).await;
        let client = connect(builder(), &server).await;
        let answer = in_time(client.call_tool("x", json!({})).into_future()).await;
        let error = answer.unwrap_err();
        assert!(
            matches!(error, CallError::Http(_) | CallError::Rpc(_)),
            "{refusal:?}: {error:?}"
        );
        assert_eq!(server.count("initialize"), 1, "{refusal:?}");
    }
}

#[tokio::test]
async fn a_server_that_refuses_each_session_is_asked_for_one_more() {
    let page = "content-type: text/html\r\n";
    for (refused, status, body) in [
        ("tools/call", 400, "this session is no good"),
        ("tools/call", 404, ""),
        // This happens with several servers behind a load balancer, each of which knows only its
        // own sessions.
        ("notifications/initialized", 400, "no valid session ID"),
    ] {
        let server = Scripted::new(move |exchange| async move {
            let is_refused = exchange.name() == refused || exchange.name() == "tools/call";
            match is_refused {
                true => exchange.reply(status, page, body).await,
                false if exchange.name() == "tools/list" => {
                    exchange.result(json!({"tools": []})).await;
                }
                false => drop(exchange.shake_hands().await),
            }
        });
        let server = server.await;
        let client = connect(builder(), &server).await;
        let answer = in_time(client.call_tool("x", json!({})).into_future()).await;
        match answer {
            Err(CallError::Http(error)) => assert_eq!(error.status, status),
            other => panic!("{refused} {status}: {other:?}"),
        }
        assert_eq!(server.count("initialize"), 2, "{refused} {status}");
    }
}

#[tokio::test]
async fn a_server_without_a_stream_at_its_url_keeps_its_session() {
    let server = Scripted::new(async |exchange| match &*exchange.verb {
        "GET" => exchange.reply(404, "", "Cannot GET /mcp").await,
        _ => {
            if let Some(exchange) = exchange.shake_hands().await {
                exchange.say("fine").await;
            }
        }
    });
    let server = server.await;
    let client = connect(builder(), &server).await;
    server.until_seen("GET", 1).await;
    for _ in 0..3 {
        let answer = in_time(client.call_tool("x", json!({})).into_future()).await;
        assert_eq!(text(&answer.unwrap()), "fine");
    }
    assert_eq!(server.count("initialize"), 1);
    in_time(client.close()).await;
    assert_eq!(server.count("DELETE"), 1);
}
