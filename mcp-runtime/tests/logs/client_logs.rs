//! `tracing` events that are forwarded to clients.

use mcp_runtime::Server;
use mcp_runtime::server::tools::ToolEntry;
use mcp_runtime::server::{Reply, client_logs};
use mcp_runtime::types::Tool;
use serde_json::{Value, json};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::support::log::ask_every_subscriber;
use crate::support::{self, Wire, call, request, stateless};

fn log() {
    tracing::info!(target: "shop::stock", left = 2, item = "tea", "sold");
    tracing::warn!(target: "shop", "closing soon");
    tracing::error!(target: "shopping", "somebody else's business");
    tracing::debug!(target: "shop", "details");
}

fn server() -> Server {
    let mut server = Server::builder();
    server.logging();
    let tool = |name| Tool::new(name, json!({"type": "object"}));
    server.tool(ToolEntry::new(tool("now"), |_| {
        log();
        Reply::Ready(Ok(support::text("done".to_owned())))
    }));
    server.tool(ToolEntry::new(tool("later"), |_| {
        Reply::Pending(Box::pin(async {
            tokio::task::yield_now().await;
            log();
            Ok(support::text("done".to_owned()))
        }))
    }));
    server.build()
}

async fn told(wire: &mut Wire, message: Value) -> Vec<Value> {
    wire.send(message).await;
    let mut told = Vec::new();
    loop {
        let message = wire.answer().await;
        if message["id"] == 1 {
            assert_eq!(message["result"]["content"][0]["text"], "done");
            return told;
        }
        told.push(message["params"].clone());
    }
}

#[tokio::test]
async fn what_is_logged_under_the_target_goes_to_who_asked_for_it() {
    ask_every_subscriber();
    let _guard = tracing_subscriber::registry()
        .with(client_logs("shop"))
        .set_default();
    let expected = [
        json!({"level": "info", "logger": "shop::stock",
            "data": {"message": "sold", "left": 2, "item": "tea"}}),
        json!({"level": "warning", "logger": "shop", "data": "closing soon"}),
    ];
    let server = server();
    let mut session = Wire::to(&server).await;
    session.handshake("2025-11-25").await;
    let mut alone = Wire::to(&server).await;
    for tool in ["now", "later"] {
        let heard = told(&mut session, call(1, tool, json!({}))).await;
        assert_eq!(heard, expected, "{tool}");

        let mut message = stateless(1, "tools/call", json!({"name": tool}));
        assert_eq!(told(&mut alone, message.clone()).await, [] as [Value; 0]);
        message["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = json!("warning");
        assert_eq!(told(&mut alone, message).await, expected[1..]);
    }
    // An event outside of a request is not forwarded.
    log();
    let answer = session.ask(request(2, "ping", json!({}))).await;
    assert_eq!(answer["id"], 2, "{answer}");
}
