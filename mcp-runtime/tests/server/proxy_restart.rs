//! A proxy whose server is replaced by another one.

use std::sync::Arc;
use std::time::Duration;

use mcp_runtime::prelude::*;
use mcp_runtime::server::prompts::PromptEntry;
use mcp_runtime::server::resources::{IntoContents as _, ResourceEntry};
use mcp_runtime::server::{List, Reply};
use mcp_runtime::transport::memory::{self, Memory};
use mcp_runtime::types::{
    GetPromptResult, Prompt, PromptMessage, ServerNotification, SubscriptionFilter,
};
use mcp_runtime::{Client, ClientBuilder, Revision, Server, ServerBuilder};
use serde_json::{Value, json};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;

use crate::support::client::{builder, connect};
use crate::support::{Wire, request, text, tool};

const REVISIONS: [Revision; 2] = [Revision::V2025_11_25, Revision::V2026_07_28];

/// Servers that replace one another behind a proxy.
struct Places {
    next: mpsc::UnboundedSender<Server>,
    serving: mpsc::UnboundedReceiver<JoinHandle<()>>,
}

impl Places {
    /// Returns the places, and a function that connects to the current server.
    fn new() -> (Self, impl Fn() -> Memory + Send + Sync) {
        let (next, servers) = mpsc::unbounded_channel::<Server>();
        let (begun, serving) = mpsc::unbounded_channel();
        let servers = Arc::new(Mutex::new(servers));
        let make = move || {
            let (ours, theirs) = memory::pair();
            let servers = Arc::clone(&servers);
            let task = tokio::spawn(async move {
                let server = servers.lock().await.recv().await;
                if let Some(server) = server {
                    let _ = server.serve(theirs).signals(false).await;
                }
            });
            let _ = begun.send(task);
            ours
        };
        (Self { next, serving }, make)
    }

    fn offer(&self, server: Server) {
        self.next.send(server).unwrap();
    }

    async fn kill(&mut self) {
        self.serving.recv().await.unwrap().abort();
    }
}

async fn proxy(revision: Revision, first: Server) -> (Server, Places) {
    let (places, make) = Places::new();
    places.offer(first);
    let client = Client::builder("proxy", "1").without_keep_alive();
    let client = client.revision(revision).connect_with(make).await.unwrap();
    (Server::proxy(&client).await.unwrap(), places)
}

fn behind(configure: impl FnOnce(&mut ServerBuilder)) -> Server {
    let mut server = Server::builder();
    server
        .list_changed(List::ALL)
        .instructions("Use the old one.");
    server.tool(tool("same", |_| Reply::Ready(Ok(text("same".to_owned())))));
    configure(&mut server);
    server.build()
}

fn old() -> Server {
    behind(|server| {
        server.tool(tool("old", |_| Reply::Ready(Ok(text("old".to_owned())))));
    })
}

fn new() -> Server {
    behind(|server| {
        server.instructions("Use the new one.");
        server.extension(("com.example/new", serde_json::Map::new()));
        server.tool(tool("new", |_| Reply::Ready(Ok(text("new".to_owned())))));
        server.prompt(PromptEntry::new(Prompt::new("greet"), |_| {
            Reply::Ready(Ok(GetPromptResult::new([PromptMessage::user("hello")])))
        }));
    })
}

async fn names(wire: &mut Wire, list: &str) -> Vec<String> {
    let answer = wire
        .ask(request(list, &format!("{list}/list"), json!({})))
        .await;
    let items = answer["result"][list].as_array().unwrap().iter();
    items
        .map(|item| item["name"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test(start_paused = true)]
async fn what_differs_after_a_restart_is_announced() {
    for revision in REVISIONS {
        let (proxy, mut places) = proxy(revision, old()).await;
        let mut outer = Server::builder();
        outer.instructions("Ask the others.").mount("my", &proxy);
        let outer = outer.build();
        let mut wire = Wire::to(&outer).await;
        let hello = wire.handshake("2025-11-25").await;
        let changes = json!({"listChanged": true});
        for list in ["tools", "prompts", "resources"] {
            assert_eq!(hello["result"]["capabilities"][list], changes, "{revision}");
        }
        let instructions =
            "Ask the others.\n\nAbout everything that begins with `my_`:\nUse the old one.";
        assert_eq!(hello["result"]["instructions"], instructions);
        assert_eq!(names(&mut wire, "tools").await, ["my_same", "my_old"]);

        places.offer(new());
        places.kill().await;
        let mut told = Vec::new();
        for _ in 0..2 {
            told.push(wire.answer().await["method"].clone());
        }
        told.sort_by_key(Value::to_string);
        let prompts = "notifications/prompts/list_changed";
        assert_eq!(
            told,
            [prompts, "notifications/tools/list_changed"],
            "{revision}"
        );
        assert_eq!(names(&mut wire, "tools").await, ["my_same", "my_new"]);
        assert_eq!(names(&mut wire, "prompts").await, ["my_greet"]);
        // The resources have not changed, so there is no notification about them.
        let more = tokio::time::timeout(Duration::from_secs(60), wire.next()).await;
        assert!(more.is_err(), "{more:?}");

        let mut wire = Wire::to(&outer).await;
        let hello = wire.handshake("2025-11-25").await;
        let instructions =
            "Ask the others.\n\nAbout everything that begins with `my_`:\nUse the new one.";
        assert_eq!(hello["result"]["instructions"], instructions, "{revision}");
        // The proxy does not forward the methods of extensions.
        let capabilities = &hello["result"]["capabilities"];
        assert_eq!(capabilities["extensions"], Value::Null, "{revision}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_restart_that_changes_nothing_is_not_announced() {
    for revision in REVISIONS {
        let (proxy, mut places) = proxy(revision, old()).await;
        let mut wire = Wire::to(&proxy).await;
        wire.handshake("2025-11-25").await;
        places.offer(old());
        places.kill().await;
        let told = tokio::time::timeout(Duration::from_secs(60), wire.next()).await;
        assert!(told.is_err(), "{revision}: {told:?}");
        let answer = wire.ask(crate::support::call(1, "old", json!({}))).await;
        assert_eq!(answer["result"]["content"][0]["text"], "old", "{revision}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_resource_that_is_watched_counts_as_changed_after_a_restart() {
    let watched = || {
        behind(|server| {
            let note = Resource::new("note", "note://1");
            let note = ResourceEntry::resource(note, |_| Reply::Ready("x".into_contents()));
            server.resource(note.subscribable());
        })
    };
    for revision in REVISIONS {
        let (proxy, mut places) = proxy(revision, watched()).await;
        let caller = connect(builder().without_keep_alive(), &proxy).await;
        let filter = SubscriptionFilter::new().with_resource_subscriptions(["note://1"]);
        let mut changes = caller.subscribe_to(filter).await.unwrap();
        // Wait until the proxy has forwarded the subscription, which the test can't observe.
        let quiet = tokio::time::timeout(Duration::from_secs(60), changes.next()).await;
        assert!(quiet.is_err(), "{revision}: {quiet:?}");
        places.offer(watched());
        places.kill().await;
        let told = changes.next().await.unwrap().unwrap();
        let ServerNotification::ResourceUpdated(updated) = told else {
            panic!("{revision}: {told:?}");
        };
        assert_eq!(updated.uri, "note://1");
    }
}

/// Returns a proxy, and the connection on which the test acts as the stateless server behind it.
async fn scripted(client: ClientBuilder, capabilities: Value) -> (JoinHandle<Server>, Wire) {
    let (ours, theirs) = memory::pair();
    let mut behind = Wire::with(theirs, tokio::spawn(async { Ok(()) })).await;
    let opening = tokio::spawn(async move {
        let client = client.revision(Revision::V2026_07_28);
        let client = client.connect(ours).await.unwrap();
        Server::proxy(&client).await.unwrap()
    });
    discovered(&mut behind, capabilities).await;
    (opening, behind)
}

async fn expect(wire: &mut Wire, method: &str) -> Value {
    let message = wire.answer().await;
    assert_eq!(message["method"], method, "{message}");
    message["id"].clone()
}

async fn answer(wire: &mut Wire, method: &str, mut result: Value) {
    let id = expect(wire, method).await;
    result["resultType"] = json!("complete");
    wire.send(json!({"jsonrpc": "2.0", "id": id, "result": result}))
        .await;
}

async fn discovered(wire: &mut Wire, capabilities: Value) {
    let result = json!({"supportedVersions": ["2026-07-28"], "capabilities": capabilities,
        "ttlMs": 0, "cacheScope": "private"});
    answer(wire, "server/discover", result).await;
}

async fn list(wire: &mut Wire, names: &[&str]) {
    let tools = names
        .iter()
        .map(|name| json!({"name": name, "inputSchema": {"type": "object"}}));
    let tools: Vec<_> = tools.collect();
    answer(
        wire,
        "tools/list",
        json!({"tools": tools, "ttlMs": 0, "cacheScope": "private"}),
    )
    .await;
}

async fn acknowledge(wire: &mut Wire) -> Value {
    let id = expect(wire, "subscriptions/listen").await;
    let about = json!({"io.modelcontextprotocol/subscriptionId": id});
    wire.send(
        json!({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
        "params": {"_meta": about, "notifications": {"toolsListChanged": true}}}),
    )
    .await;
    id
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_the_server_ends_is_opened_again_with_all_that_changed() {
    let tools = json!({"tools": {"listChanged": true}});
    let builder = Client::builder("proxy", "1");
    let (opening, mut behind) = scripted(builder, tools.clone()).await;
    let id = acknowledge(&mut behind).await;
    list(&mut behind, &["old"]).await;
    let proxy = opening.await.unwrap();
    let mut wire = Wire::to(&proxy).await;
    wire.handshake("2025-11-25").await;

    let about = json!({"io.modelcontextprotocol/subscriptionId": id});
    let end = json!({"resultType": "complete", "_meta": about});
    behind
        .send(json!({"jsonrpc": "2.0", "id": id, "result": end}))
        .await;
    acknowledge(&mut behind).await;
    discovered(&mut behind, tools).await;
    list(&mut behind, &["new"]).await;
    let told = wire.answer().await;
    assert_eq!(told["method"], "notifications/tools/list_changed");
    assert_eq!(names(&mut wire, "tools").await, ["new"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_refuses_to_tell_is_offered_all_the_same() {
    let tools = json!({"tools": {"listChanged": true}});
    let (opening, mut behind) = scripted(Client::builder("proxy", "1"), tools).await;
    let id = expect(&mut behind, "subscriptions/listen").await;
    let error = json!({"code": -32601, "message": "no"});
    behind
        .send(json!({"jsonrpc": "2.0", "id": id, "error": error}))
        .await;
    list(&mut behind, &["there"]).await;
    let proxy = opening.await.unwrap();
    let mut wire = Wire::to(&proxy).await;
    wire.handshake("2025-11-25").await;
    assert_eq!(names(&mut wire, "tools").await, ["there"]);
    let more = tokio::time::timeout(Duration::from_secs(600), behind.next()).await;
    assert!(more.is_err(), "it is not asked again: {more:?}");
}
