//! Notifications of a server behind a proxy, which reach the right callers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_runtime::prelude::*;
use mcp_runtime::server::Proxy;
use mcp_runtime::server::input::AskError;
use mcp_runtime::transport::memory;
use mcp_runtime::types::{LoggingLevel, Root, ServerNotification, SubscriptionFilter};
use mcp_runtime::{Client, ClientBuilder, Revision, Server};
use serde_json::json;
use tokio::sync::Notify;

use crate::support::client::connect;
use crate::support::clock::in_time;
use crate::support::scripted::Scripted;
use crate::support::{Wire, stateless};

const REVISIONS: [Revision; 2] = [Revision::V2025_11_25, Revision::V2026_07_28];

struct Shop {
    waits: Arc<Notify>,
}

#[mcp_server(logging)]
impl Shop {
    /// Logs messages.
    #[tool]
    async fn talk(&self, cx: &Context) -> &'static str {
        cx.log(LoggingLevel::Debug, "low");
        tokio::task::yield_now().await;
        cx.logger("stock").warning("high");
        "done"
    }

    /// Returns the roots of the client.
    #[tool]
    async fn place(&self, cx: &Context) -> Result<String, AskError> {
        let roots = cx.roots().await?;
        Ok(roots.into_iter().map(|root| root.uri).collect())
    }

    /// Asks for confirmation.
    #[tool]
    async fn confirm(&self, cx: &Context) -> Result<String, AskError> {
        let sure: bool = cx.elicit("Sure?").await?;
        Ok(sure.to_string())
    }

    /// Keeps a call in flight.
    #[tool]
    async fn wait(&self) -> String {
        self.waits.notify_one();
        std::future::pending().await
    }

    /// Contents of a shelf.
    #[resource("shop://{shelf}", subscribe)]
    fn shelf(&self, shelf: String) -> String {
        shelf
    }
}

/// Returns a shop that speaks `revision`, and a server that mounts a proxy for the shop.
async fn pair(revision: Revision, waits: &Arc<Notify>) -> (Server, Server) {
    let waits = Arc::clone(waits);
    let shop = Shop { waits }.into_server();
    let proxy = Proxy::new();
    let client = proxy.client("proxy", "1").revision(revision);
    let client = connect(client, &shop).await;
    let mut outer = Server::builder();
    outer.mount("my", proxy.server(&client).await.unwrap());
    (shop, outer.build())
}

fn anybody() -> ClientBuilder {
    Client::builder("caller", "1")
}

#[tokio::test]
async fn messages_of_a_stateless_server_that_declares_no_logging_are_passed_on() {
    let (ours, mut behind) = Scripted::pair();
    let proxy = Proxy::new();
    let opening = async {
        let client = proxy.client("proxy", "1").revision(Revision::V2026_07_28);
        let client = client.connect(ours).await.unwrap();
        proxy.server(&client).await.unwrap()
    };
    let answering = async {
        behind.be_discovered().await;
        let (id, _) = behind.expect("tools/list").await;
        let tools = json!([{"name": "talk", "inputSchema": {"type": "object"}}]);
        let list =
            json!({"resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "private"});
        behind.answer(&id, list).await;
    };
    let (server, ()) = tokio::join!(opening, answering);
    let mut caller = Wire::to(&server).await;
    let mut message = stateless(1, "tools/call", json!({"name": "talk", "arguments": {}}));
    message["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = json!("info");
    caller.send(message).await;
    let (id, params) = behind.expect("tools/call").await;
    let level = &params["_meta"]["io.modelcontextprotocol/logLevel"];
    assert_eq!(level, "debug");
    for (level, text) in [("debug", "low"), ("info", "middle"), ("error", "high")] {
        let params = json!({"level": level, "data": text});
        behind.notify("notifications/message", params).await;
    }
    behind
        .answer(&id, json!({"resultType": "complete", "content": []}))
        .await;
    for text in ["middle", "high"] {
        assert_eq!(caller.answer().await["params"]["data"], text);
    }
    assert!(caller.answer().await["result"].is_object());
}

#[tokio::test]
async fn log_messages_reach_the_caller_as_far_as_it_wants_them() {
    for behind in REVISIONS {
        for before in REVISIONS {
            let (_shop, server) = pair(behind, &Arc::default()).await;
            let heard: Arc<Mutex<Vec<String>>> = Arc::default();
            let ears = Arc::clone(&heard);
            let client = anybody().revision(before).on_notification(move |told| {
                if let ServerNotification::LoggingMessage(message) = told {
                    let logger = message.logger.as_deref().unwrap_or_default();
                    let line = format!("{logger} {}", message.data.get());
                    ears.lock().unwrap().push(line);
                }
            });
            let caller = connect(client, &server).await;
            caller.set_log_level(LoggingLevel::Info).await.unwrap();
            let said: String = caller.call("my_talk", json!({})).await.unwrap();
            assert_eq!(said, "done");
            assert_eq!(
                *heard.lock().unwrap(),
                ["stock \"high\""],
                "{behind} {before}"
            );
        }
    }
}

#[tokio::test]
async fn logs_of_a_server_that_did_not_declare_them_reach_the_caller_as_well() {
    let (ours, theirs) = memory::pair();
    let mut behind = Wire::with(theirs, tokio::spawn(async { Ok(()) })).await;
    let opening = tokio::spawn(async {
        let proxy = Proxy::new();
        let client = proxy.client("proxy", "1").revision(Revision::V2025_11_25);
        let client = client.connect(ours).await.unwrap();
        proxy.server(&client).await.unwrap()
    });
    let id = behind.answer().await["id"].clone();
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "script", "version": "1"},
    });
    behind
        .send(json!({"jsonrpc": "2.0", "id": id, "result": hello}))
        .await;
    assert_eq!(behind.answer().await["method"], "notifications/initialized");
    let asked = behind.answer().await;
    assert_eq!(asked["method"], "tools/list");
    let tools = json!([{"name": "talk", "inputSchema": {"type": "object"}}]);
    behind
        .send(json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"tools": tools}}))
        .await;

    let server = opening.await.unwrap();
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let ears = Arc::clone(&heard);
    let client = anybody().on_log(move |message| {
        ears.lock().unwrap().push(message.data.get().to_owned());
    });
    let caller = connect(client, &server).await;
    caller.set_log_level(LoggingLevel::Info).await.unwrap();
    let talking = tokio::spawn(caller.call_tool("talk", json!({})).into_future());
    let id = behind.answer().await["id"].clone();
    let log = json!({"level": "warning", "data": "careful"});
    behind
        .send(json!({"jsonrpc": "2.0", "method": "notifications/message", "params": log}))
        .await;
    behind
        .send(json!({"jsonrpc": "2.0", "id": id, "result": {"content": []}}))
        .await;
    talking.await.unwrap().unwrap();
    assert_eq!(*heard.lock().unwrap(), ["\"careful\""]);
}

#[tokio::test]
async fn the_roots_are_those_of_the_caller() {
    for behind in REVISIONS {
        for before in REVISIONS {
            let (_shop, server) = pair(behind, &Arc::default()).await;
            let client = anybody().on_roots(async || Ok(vec![Root::new("file:///home")]));
            let caller = connect(client.revision(before), &server).await;
            let said: String = caller.call("my_place", json!({})).await.unwrap();
            assert_eq!(said, "file:///home", "{behind} {before}");
        }
    }
}

#[tokio::test]
async fn a_session_is_asked_whichever_of_its_calls_is_meant() {
    let waits = Arc::new(Notify::new());
    let (_shop, server) = pair(Revision::V2025_11_25, &waits).await;
    let client = anybody().on_form(async |form| form.accept(json!({"answer": true})));
    let caller = connect(client.revision(Revision::V2025_11_25), &server).await;
    let busy = caller.clone();
    let waiting = tokio::spawn(async move { busy.call_tool("my_wait", json!({})).await });
    waits.notified().await;
    let said: String = caller.call("my_confirm", json!({})).await.unwrap();
    assert_eq!(said, "true");
    waiting.abort();
}

#[tokio::test]
async fn subscriptions_are_passed_on() {
    for behind in REVISIONS {
        for before in REVISIONS {
            let (shop, server) = pair(behind, &Arc::default()).await;
            let caller = connect(anybody().revision(before), &server).await;
            let filter = SubscriptionFilter::new().with_resource_subscriptions(["my+shop://tea"]);
            let mut changes = caller.subscribe_to(filter).await.unwrap();
            // The test can't observe when the shop knows about the subscription, so it repeats the
            // change.
            let selling = tokio::spawn(async move {
                loop {
                    shop.notify_resource_updated("shop://milk");
                    shop.notify_resource_updated("shop://tea");
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            });
            let told = in_time(changes.next()).await.unwrap().unwrap();
            let ServerNotification::ResourceUpdated(updated) = told else {
                panic!("{told:?}");
            };
            assert_eq!(updated.uri, "my+shop://tea", "{behind} {before}");
            selling.abort();
        }
    }
}
