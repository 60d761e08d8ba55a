//! Log messages.

use mcp_runtime::types::LoggingLevel;
use mcp_runtime::{Context, Server, ServerBuilder};
use serde_json::{Value, json};

use super::{Caller, at_once, later};

fn builder() -> ServerBuilder {
    let mut server = Server::builder();
    let log = |cx: &Context| {
        cx.log(LoggingLevel::Debug, "details");
        cx.info("news");
        cx.logger("stock").error(json!({"left": 0}));
    };
    server.tool(at_once("at_once", log));
    server.tool(later("later", move |cx| {
        Box::pin(async move {
            tokio::task::yield_now().await;
            log(&cx);
        })
    }));
    server
}

fn server() -> Server {
    let mut server = builder();
    server.logging();
    server.build()
}

fn message(params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params})
}

fn all() -> [Value; 3] {
    [
        message(json!({"level": "debug", "data": "details"})),
        message(json!({"level": "info", "data": "news"})),
        message(json!({"level": "error", "logger": "stock", "data": {"left": 0}})),
    ]
}

fn level(level: &str) -> Value {
    json!({"io.modelcontextprotocol/logLevel": level})
}

#[tokio::test]
async fn a_session_has_the_level_that_was_set_last() {
    let server = server();
    let mut caller = Caller::handshake(&server, "2025-11-25").await;
    let mut other = Caller::handshake(&server, "2024-11-05").await;
    for tool in ["at_once", "later"] {
        let (told, _) = other.call(tool, json!({})).await;
        assert_eq!(
            told,
            all()[1..],
            "{tool}: until a level is set, it is `info`"
        );
    }
    for (level, from) in [("debug", 0), ("error", 2), ("warning", 2), ("emergency", 3)] {
        let params = json!({"level": level});
        let answer = caller.ask("logging/setLevel", params).await;
        assert_eq!(answer["result"], json!({}), "{answer}");
        let (told, _) = caller.call("later", json!({})).await;
        assert_eq!(told, all()[from..], "{level}");
    }
    let (told, _) = other.call("at_once", json!({})).await;
    assert_eq!(
        told,
        all()[1..],
        "the level of one session is not that of another"
    );
}

#[tokio::test]
async fn a_request_that_stands_by_itself_says_what_it_wants() {
    let server = server();
    let [_, mut caller] = Caller::both(&server).await;
    for tool in ["at_once", "later"] {
        let (told, _) = caller.call(tool, json!({})).await;
        assert_eq!(told, [] as [Value; 0]);
        let (told, _) = caller.call(tool, level("debug")).await;
        assert_eq!(told, all());
        let (told, _) = caller.call(tool, level("critical")).await;
        assert_eq!(told, [] as [Value; 0]);
    }
}

#[tokio::test]
async fn a_level_that_is_none_is_refused() {
    let server = server();
    let [mut session, mut caller] = Caller::both(&server).await;
    let answer = session
        .ask("logging/setLevel", json!({"level": "loud"}))
        .await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    for wrong in [json!("loud"), json!(7)] {
        let meta = json!({"io.modelcontextprotocol/logLevel": wrong});
        let (_, answer) = caller.call("at_once", meta).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}

#[tokio::test]
async fn a_server_that_does_not_say_that_it_logs_does_not() {
    let server = builder().build();
    let [mut session, mut caller] = Caller::both(&server).await;
    let answer = session
        .ask("logging/setLevel", json!({"level": "debug"}))
        .await;
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    for (caller, meta) in [(&mut session, json!({})), (&mut caller, level("debug"))] {
        let (told, answer) = caller.call("later", meta).await;
        assert_eq!(told, [] as [Value; 0]);
        assert_eq!(answer["result"]["content"][0]["text"], "done");
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_loses_messages_and_not_its_answers() {
    let mut server = Server::builder();
    server.logging();
    server.tool(at_once("flood", |cx| {
        let long = "x".repeat(1000);
        for _ in 0..10_000 {
            cx.log(LoggingLevel::Error, &long);
        }
        cx.progress(1, 2, "begun");
        cx.progress(2, 2, "done");
    }));
    let server = server.build();
    for mut caller in Caller::both(&server).await {
        let mut meta = level("debug");
        meta["progressToken"] = json!("t");
        let (told, answer) = caller.call("flood", meta).await;
        assert!((50..100).contains(&told.len()), "{}", told.len());
        assert_eq!(told.last().unwrap()["params"]["progress"], 2);
        assert_eq!(answer["result"]["content"][0]["text"], "done");
    }
}
