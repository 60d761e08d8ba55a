//! Limits of servers, over any transport.

use std::fs;
use std::num::NonZeroUsize;
use std::thread;
use std::time::Duration;

use mcp_runtime::client::Form;
use mcp_runtime::prelude::*;
use mcp_runtime::resources::FileTree;
use mcp_runtime::server::Reply;
use mcp_runtime::server::resources::{IntoContents as _, ResourceEntry, UriTemplate};
use mcp_runtime::transport::socket::tcp_client;
use mcp_runtime::types::ResourceTemplate;
use mcp_runtime::{Server, ServerBuilder};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use tracing::Level;

use crate::support::clock::{Clock, in_time};
use crate::support::log::Log;
use crate::support::{self, call, initialize, listening, request, stateless};
use crate::wire::{Peer, SECOND, Served, builder, comes_after};

driven! {
    MAX_SUBSCRIPTIONS by max_subscriptions,
    PROGRESS_INTERVAL by progress_interval,
    MAX_ASKING_ROUNDS by max_asking_rounds,
    ANSWER_TIMEOUT by answer_timeout,
    SAMPLING_TOKENS by sampling_tokens,
    MAX_COMPLETIONS by max_completions,
    MAX_URI_BYTES by max_uri_bytes,
    MAX_WARNINGS by max_warnings,
    LONG_HOLD by long_hold,
    MAX_FILE_BYTES by max_file_bytes,
    FILE_WALK_LIFETIME by file_walk_lifetime,
}

struct Talker;

#[mcp_server(undocumented = "allow")]
impl Talker {
    #[tool]
    async fn steps(&self, cx: &Context) {
        for step in 1..=100 {
            cx.progress(step, None, "");
            sleep(Duration::from_millis(1)).await;
        }
    }

    #[tool]
    async fn insatiable(&self, cx: &Context) -> Result<String, ToolError> {
        loop {
            cx.elicit::<String>("And then?").await?;
        }
    }

    #[tool]
    async fn poem(&self, cx: &Context) -> Result<String, ToolError> {
        Ok(cx.sample("A poem!").await?.text())
    }

    #[tool]
    fn hold(&self) {
        thread::sleep(Duration::from_millis(60));
    }

    #[prompt]
    fn visit(&self, #[arg(complete = Self::numbers)] count: String) -> String {
        count
    }

    fn numbers(request: &CompletionRequest) -> Vec<String> {
        let count: usize = request.value().parse().unwrap();
        (0..count).map(|number| number.to_string()).collect()
    }
}

/// Returns a peer with all capabilities, after the handshake.
async fn able(served: &Served) -> Peer {
    let mut hello = initialize("2025-11-25");
    hello["params"]["capabilities"] = json!({"elicitation": {}, "sampling": {}});
    served.operating(hello).await
}

/// Adds all resources `test://{name}`, which clients can subscribe to.
fn resources(server: &mut ServerBuilder) {
    let template = UriTemplate::parse("test://{name}").unwrap();
    let listed = ResourceTemplate::new("any", "");
    let entry = ResourceEntry::template(listed, template, |_| Reply::Ready("x".into_contents()));
    server.resource(entry.subscribable());
}

async fn max_subscriptions() {
    let mut server = support::builder();
    resources(&mut server);
    let served = Served::tcp(&server.build(), |serve| serve);
    let mut peer = served.operating(initialize("2025-11-25")).await;
    for number in 1..=1001 {
        let params = json!({"uri": format!("test://{number}")});
        let answer = peer.ask(request(number, "resources/subscribe", params)).await;
        let code = answer["error"]["code"].as_i64();
        assert_eq!(code, (number > 1000).then_some(-32603), "{answer}");
    }
}

async fn progress_interval() {
    let clock = Clock::stopped();
    let served = Served::tcp(&Talker.into_server(), |serve| serve);
    let mut peer = served.operating(initialize("2025-11-25")).await;
    let mut message = call(1, "steps", json!({}));
    message["params"]["_meta"] = json!({"progressToken": "t"});
    let start = Instant::now();
    peer.send(&message).await;
    let told = clock.run_until(Duration::from_millis(1), peer.until_answered(1)).await;
    let reports = told.len() - 1;
    let taken = start.elapsed().as_millis() as usize;
    // The first and the last report are sent immediately.
    let expected = taken / 40..=taken / 20 + 2;
    assert!(expected.contains(&reports), "{reports} reports of 100 in {taken} ms");
}

async fn max_asking_rounds() {
    let served = Served::tcp(&Talker.into_server(), |serve| serve);
    let answers = |form: Form| async move { form.accept(json!({"answer": "x"})) };
    let client = builder().on_form(answers).connect(tcp_client(served.addr)).await.unwrap();
    let error = in_time(client.call_tool("insatiable", ()).into_future()).await.unwrap_err();
    assert!(error.to_string().contains("asked 8 times"), "{error}");
}

async fn answer_timeout() {
    let clock = Clock::stopped();
    let mut server = Talker.into_builder();
    server.input_timeout(5 * SECOND);
    let served = Served::tcp(&server.build(), |serve| serve);
    let mut peer = able(&served).await;
    peer.send(&call(1, "insatiable", json!({}))).await;
    peer.expect("elicitation/create").await;
    let told = comes_after(&clock, 5 * SECOND, peer.until_answered(1)).await;
    assert_eq!(told.last().unwrap()["result"]["isError"], true, "{told:?}");
}

async fn sampling_tokens() {
    let served = Served::tcp(&Talker.into_server(), |serve| serve);
    let mut peer = able(&served).await;
    let asked = peer.ask(call(1, "poem", json!({}))).await;
    assert_eq!(asked["params"]["maxTokens"], 1000, "{asked}");
}

async fn max_completions() {
    let served = Served::tcp(&Talker.into_server(), |serve| serve);
    let mut peer = served.peer().await;
    for (count, sent) in [(99, 99), (150, 100)] {
        let params = json!({
            "ref": {"type": "ref/prompt", "name": "visit"},
            "argument": {"name": "count", "value": count.to_string()},
        });
        let answer = peer.ask(stateless(1, "completion/complete", params)).await;
        let completion = &answer["result"]["completion"];
        assert_eq!(completion["values"].as_array().unwrap().len(), sent);
        assert_eq!(completion["hasMore"] == true, count > sent);
    }
}

async fn max_uri_bytes() {
    let mut server = support::builder();
    resources(&mut server);
    let served = Served::tcp(&server.build(), |serve| serve);
    let mut peer = served.peer().await;
    for (length, is_found) in [(8 * 1024, true), (8 * 1024 + 1, false)] {
        let uri = format!("test://{}", "x".repeat(length - "test://".len()));
        let answer = peer.ask(stateless(1, "resources/read", json!({"uri": uri}))).await;
        assert_eq!(answer["error"].is_null(), is_found, "{length}");
    }
}

async fn max_warnings() {
    let (log, _guard) = Log::listening(Level::WARN);
    let server = listening::server();
    for number in 0..200 {
        server.notify_resource_updated(format!("test://{number}"));
    }
    assert_eq!(log.text().lines().count(), 100);
}

async fn long_hold() {
    let (log, _guard) = Log::listening(Level::WARN);
    let served = Served::tcp(&Talker.into_server(), |serve| serve);
    let params = json!({"name": "hold"});
    served.peer().await.ask(stateless(1, "tools/call", params)).await;
    let is_logged = log.all().contains("mark it `blocking`");
    assert_eq!(is_logged, cfg!(debug_assertions), "{}", log.all());
}

fn files(root: &std::path::Path, configure: impl FnOnce(FileTree) -> FileTree) -> Server {
    let mut server = Server::builder();
    server.page_size(NonZeroUsize::MIN);
    server.resource(configure(FileTree::new(root).unwrap().listed(100)));
    server.build()
}

async fn max_file_bytes() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("small"), "x".repeat(100)).unwrap();
    fs::write(directory.path().join("big"), "x".repeat(101)).unwrap();
    let served = Served::tcp(&files(directory.path(), |tree| tree.max_size(100)), |serve| serve);
    let mut peer = served.peer().await;
    for (name, is_read) in [("small", true), ("big", false)] {
        let params = json!({"uri": format!("file:///{name}")});
        let answer = peer.ask(stateless(1, "resources/read", params)).await;
        assert_eq!(answer["error"].is_null(), is_read, "{answer}");
    }
}

async fn file_walk_lifetime() {
    for (waited, uri) in [(29, "file:///c"), (31, "file:///b")] {
        let clock = Clock::stopped();
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str| fs::write(directory.path().join(name), "x").unwrap();
        write("a");
        write("c");
        let served = Served::tcp(&files(directory.path(), |tree| tree), |serve| serve);
        let mut peer = served.peer().await;
        let mut page = async |params: Value| {
            let answer = peer.ask(stateless(1, "resources/list", params));
            answer.await["result"].take()
        };
        let first = page(json!({})).await;
        // A file that is added later is not in any page of the same listing.
        write("b");
        clock.pass(waited * SECOND).await;
        let second = page(json!({"cursor": first["nextCursor"]})).await;
        assert_eq!(second["resources"][0]["uri"], uri, "{second}");
        clock.go_on();
    }
}
