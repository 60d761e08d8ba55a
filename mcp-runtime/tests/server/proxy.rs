//! Proxies, for every combination of the eras of both sides.

use std::sync::Arc;
use std::time::Duration;

use mcp_runtime::prelude::*;
use mcp_runtime::server::resources::{IntoContents as _, ResourceEntry};
use mcp_runtime::server::{List, Progress, Reply};
use mcp_runtime::transport::memory;
use mcp_runtime::types::CallToolResult;
use mcp_runtime::{CallError, Client, Revision, Server, Timeouts};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::client::{builder, connect};
use crate::support::scripted::{Scripted, initialized, operating};
use crate::support::{self, Wire, request, stateless, text, tool};

const REVISIONS: [Revision; 2] = [Revision::V2025_11_25, Revision::V2026_07_28];

struct Library {
    begun: Arc<Notify>,
    dropped: Arc<Notify>,
}

struct TellDropped(Arc<Notify>);

impl Drop for TellDropped {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

#[mcp_server]
impl Library {
    /// Counts the letters.
    #[tool]
    fn count(&self, word: String) -> Vec<usize> {
        vec![word.len()]
    }

    /// Fails with a tool error.
    #[tool]
    fn fail(&self) -> Result<String, String> {
        Err("out of books".to_owned())
    }

    /// Fails with a protocol error.
    #[tool]
    fn refuse(&self) -> Result<String, ProtocolError> {
        Err(ProtocolError::new(-32050, "no").with_data(json!({"why": 1})))
    }

    /// Reports progress.
    #[tool]
    async fn work(&self, progress: &Progress) -> &'static str {
        progress.report(1, 2, "half");
        "done"
    }

    /// Takes 150 seconds, and reports progress every 50.
    #[tool]
    async fn take_long(&self, progress: &Progress) -> &'static str {
        for part in 1..=3 {
            tokio::time::sleep(Duration::from_secs(50)).await;
            progress.report(part, 3, "");
        }
        "done"
    }

    /// Waits until it is cancelled.
    #[tool]
    async fn wait(&self) -> String {
        let _dropped = TellDropped(Arc::clone(&self.dropped));
        self.begun.notify_one();
        std::future::pending().await
    }

    /// Summarises a book.
    #[prompt]
    fn summary(&self, #[arg(complete = Self::titles)] title: String) -> String {
        format!("Summarise {title}.")
    }

    #[resource("book://{title}", list = Self::all)]
    fn book(&self, #[arg(complete = Self::titles)] title: String) -> Option<String> {
        (title != "none").then(|| format!("All of {title}"))
    }

    fn titles(request: &CompletionRequest) -> Vec<String> {
        vec![format!("{}ma", request.value())]
    }

    async fn all(&self) -> Vec<Resource> {
        vec![Resource::new("Emma", "book://emma")]
    }
}

struct Pair {
    behind: Server,
    proxy: Server,
    begun: Arc<Notify>,
    dropped: Arc<Notify>,
}

async fn pair(revision: Revision) -> Pair {
    let begun = Arc::new(Notify::new());
    let dropped = Arc::new(Notify::new());
    let library = Library {
        begun: Arc::clone(&begun),
        dropped: Arc::clone(&dropped),
    };
    let mut behind = library.into_builder();
    behind.name("library").instructions("Ask about books.");
    behind.list_changed(List::ALL);
    let behind = behind.build();
    let client = connect(builder().revision(revision), &behind).await;
    let proxy = Server::proxy(&client).await.unwrap();
    Pair {
        behind,
        proxy,
        begun,
        dropped,
    }
}

async fn ask(server: &Server, method: &str, params: Value) -> [Value; 2] {
    let mut wire = Wire::to(server).await;
    wire.handshake("2025-06-18").await;
    let handshake = wire.ask(request(1, method, params.clone())).await;
    let mut wire = Wire::to(server).await;
    [handshake, wire.ask(stateless(1, method, params)).await]
}

/// Removes the members that an era adds to a result.
fn plain(answer: &Value) -> Value {
    let mut answer = answer.clone();
    if let Some(result) = answer["result"].as_object_mut() {
        for member in ["_meta", "resultType", "ttlMs", "cacheScope"] {
            result.remove(member);
        }
    }
    answer
}

#[tokio::test]
async fn each_answer_is_that_of_the_server_behind() {
    let completion = |reference: Value, name: &str| json!({"ref": reference, "argument": {"name": name, "value": "em"}});
    let asked = [
        ("tools/list", json!({})),
        ("prompts/list", json!({})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        (
            "tools/call",
            json!({"name": "count", "arguments": {"word": "book"}}),
        ),
        (
            "tools/call",
            json!({"name": "count", "arguments": {"word": 1}}),
        ),
        ("tools/call", json!({"name": "fail"})),
        ("tools/call", json!({"name": "refuse"})),
        ("tools/call", json!({"name": "nobody"})),
        (
            "prompts/get",
            json!({"name": "summary", "arguments": {"title": "Emma"}}),
        ),
        ("prompts/get", json!({"name": "summary"})),
        ("resources/read", json!({"uri": "book://emma"})),
        ("resources/read", json!({"uri": "book://none"})),
        ("resources/read", json!({"uri": "nothing:"})),
        (
            "completion/complete",
            completion(json!({"type": "ref/prompt", "name": "summary"}), "title"),
        ),
        (
            "completion/complete",
            completion(
                json!({"type": "ref/resource", "uri": "book://{title}"}),
                "title",
            ),
        ),
    ];
    for revision in REVISIONS {
        let pair = pair(revision).await;
        for (method, params) in &asked {
            let proxied = ask(&pair.proxy, method, params.clone()).await;
            let direct = ask(&pair.behind, method, params.clone()).await;
            for (proxied, direct) in proxied.iter().zip(&direct) {
                // Schemas that were wrapped for an old revision can't be unwrapped again.
                if revision == REVISIONS[0] && ["tools/list", "tools/call"].contains(method) {
                    assert_eq!(proxied["error"], direct["error"]);
                    assert_eq!(proxied["result"]["content"], direct["result"]["content"]);
                } else {
                    assert_eq!(
                        plain(proxied),
                        plain(direct),
                        "{revision} {method} {params}"
                    );
                }
            }
        }
    }
}

#[tokio::test]
async fn a_proxy_introduces_itself_as_the_server_behind() {
    for revision in REVISIONS {
        let pair = pair(revision).await;
        let mut direct = Wire::to(&pair.behind).await;
        let direct = direct.handshake("2025-11-25").await;
        let mut proxied = Wire::to(&pair.proxy).await;
        assert_eq!(proxied.handshake("2025-11-25").await, direct);
    }
}

#[tokio::test]
async fn lists_that_change_behind_change_here() {
    for revision in REVISIONS {
        let pair = pair(revision).await;
        let mut wire = Wire::to(&pair.proxy).await;
        wire.handshake("2025-11-25").await;
        let added = tool("added", |_| Reply::Ready(Ok(text("new".to_owned()))));
        pair.behind.edit().add_tool(added).apply().unwrap();
        let told = wire.answer().await;
        assert_eq!(told["method"], "notifications/tools/list_changed");
        let answer = wire.ask(support::call(1, "added", json!({}))).await;
        assert_eq!(answer["result"]["content"][0]["text"], "new");

        let note = Resource::new("note", "note://1");
        let note = ResourceEntry::resource(note, |_| Reply::Ready("note".into_contents()));
        pair.behind.edit().add_resource(note).apply().unwrap();
        let told = wire.answer().await;
        assert_eq!(told["method"], "notifications/resources/list_changed");
        let read = request(2, "resources/read", json!({"uri": "note://1"}));
        let answer = wire.ask(read).await;
        assert_eq!(answer["result"]["contents"][0]["text"], "note");

        pair.behind.edit().remove_prompt("summary").apply().unwrap();
        let told = wire.answer().await;
        assert_eq!(told["method"], "notifications/prompts/list_changed");
        let answer = wire.ask(request(3, "prompts/list", json!({}))).await;
        assert_eq!(answer["result"]["prompts"], json!([]));
    }
}

#[tokio::test]
async fn progress_is_passed_on() {
    for revision in REVISIONS {
        let pair = pair(revision).await;
        let params = json!({"name": "work", "_meta": {"progressToken": "token"}});
        let mut handshake = Wire::to(&pair.proxy).await;
        handshake.handshake("2025-06-18").await;
        handshake
            .send(request(1, "tools/call", params.clone()))
            .await;
        let mut modern = Wire::to(&pair.proxy).await;
        let mut message = stateless(1, "tools/call", params);
        message["params"]["_meta"]["progressToken"] = json!("token");
        modern.send(message).await;
        for mut wire in [handshake, modern] {
            let told = wire.answer().await;
            assert_eq!(told["method"], "notifications/progress", "{told}");
            let expected =
                json!({"progressToken": "token", "progress": 1, "total": 2, "message": "half"});
            let params = &told["params"];
            for (member, value) in expected.as_object().unwrap() {
                assert!(params[member] == *value || params[member].as_f64() == value.as_f64());
            }
            let answer = wire.answer().await;
            assert_eq!(answer["result"]["content"][0]["text"], "done");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn progress_extends_the_call_behind_as_well() {
    for revision in REVISIONS {
        let pair = pair(revision).await;
        for before in REVISIONS {
            let caller = connect(builder().revision(before), &pair.proxy).await;
            let patient = Timeouts {
                reset_on_progress: true,
                ..Timeouts::default()
            };
            let call = caller.call_tool("take_long", ()).timeouts(patient);
            let result = call.await.unwrap();
            let done = CallToolResult::text("done").content;
            assert_eq!(result.content, done, "{revision} {before}");
        }
    }
}

#[tokio::test]
async fn a_call_that_is_cancelled_is_cancelled_behind() {
    for revision in REVISIONS {
        let pair = pair(revision).await;
        let mut wire = Wire::to(&pair.proxy).await;
        wire.handshake("2025-06-18").await;
        wire.send(support::call(7, "wait", json!({}))).await;
        pair.begun.notified().await;
        wire.send(json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7},
        }))
        .await;
        pair.dropped.notified().await;
        wire.lives_on().await;
    }
}

#[tokio::test]
async fn a_proxy_is_mounted_like_any_server() {
    for revision in REVISIONS {
        let pair = pair(revision).await;
        let mut server = Server::builder();
        server.mount("books", &pair.proxy);
        let server = server.build();
        let params = json!({"name": "books_count", "arguments": {"word": "book"}});
        for answer in ask(&server, "tools/call", params).await {
            assert!(
                answer["result"]["content"][0]["text"].is_string(),
                "{answer}"
            );
        }
        let uri = "books+book://emma";
        for answer in ask(&server, "resources/read", json!({"uri": uri})).await {
            let contents = json!([{"uri": uri, "text": "All of emma"}]);
            assert_eq!(answer["result"]["contents"], contents, "{answer}");
        }
        let mut wire = Wire::to(&server).await;
        wire.handshake("2025-11-25").await;
        pair.behind.edit().disable_tool("count").apply().unwrap();
        let told = wire.answer().await;
        assert_eq!(told["method"], "notifications/tools/list_changed");
        let answer = wire.ask(request(1, "tools/list", json!({}))).await;
        assert!(!answer.to_string().contains("books_count"), "{answer}");
    }
}

#[tokio::test]
async fn a_connection_that_is_lost_is_told_of() {
    let pair = pair(Revision::V2025_11_25).await;
    let (ours, theirs) = memory::pair();
    let serving = tokio::spawn(pair.behind.serve(theirs).signals(false).into_future());
    let client = Client::builder("proxy", "1").connect(ours).await.unwrap();
    let proxy = Server::proxy(&client).await.unwrap();
    client.close().await;
    serving.await.unwrap().unwrap();
    let params = json!({"name": "count", "arguments": {"word": "book"}});
    for answer in ask(&proxy, "tools/call", params).await {
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
    }
}

/// Refuses the next request, which must be of this method.
async fn refuse(behind: &mut Scripted, method: &str) {
    let (id, _) = behind.expect(method).await;
    behind.refuse(&id, -32000, Value::Null).await;
}

#[tokio::test]
async fn the_other_lists_are_offered_when_one_fails() {
    let (ours, mut behind) = Scripted::pair();
    let opening = tokio::spawn(async move {
        let client = builder().revision(Revision::V2025_11_25);
        let client = client.connect(ours).await.unwrap();
        Server::proxy(&client).await
    });
    let (id, _) = behind.expect("initialize").await;
    let capabilities = json!({"tools": {}, "resources": {"listChanged": true}});
    let mut initialized = initialized("2025-11-25");
    initialized["capabilities"] = capabilities;
    behind.answer(&id, initialized).await;
    behind.expect("notifications/initialized").await;
    let (id, _) = behind.expect("tools/list").await;
    let tools = json!([{"name": "add", "inputSchema": {"type": "object"}}]);
    behind.answer(&id, json!({"tools": tools})).await;
    refuse(&mut behind, "resources/list").await;
    refuse(&mut behind, "resources/templates/list").await;
    let proxy = opening.await.unwrap().unwrap();
    let mut wire = Wire::to(&proxy).await;
    wire.handshake("2025-11-25").await;
    let answer = wire.ask(request(1, "tools/list", json!({}))).await;
    assert_eq!(answer["result"]["tools"][0]["name"], "add", "{answer}");

    // After a change, the proxy requests the list again. The answer to one of its two requests is
    // enough.
    let changed = "notifications/resources/list_changed";
    behind.notify(changed, json!({})).await;
    let (id, _) = behind.expect("resources/list").await;
    let resources = json!([{"name": "a", "uri": "file:///a"}]);
    behind.answer(&id, json!({"resources": resources})).await;
    refuse(&mut behind, "resources/templates/list").await;
    assert_eq!(wire.answer().await["method"], changed);
    let answer = wire.ask(request(2, "resources/list", json!({}))).await;
    assert_eq!(
        answer["result"]["resources"][0]["uri"], "file:///a",
        "{answer}"
    );
}

#[tokio::test]
async fn a_server_none_of_whose_lists_can_be_read_is_not_proxied() {
    let (client, mut behind) = operating(builder()).await;
    let opening = tokio::spawn(async move { Server::proxy(&client).await.map(drop) });
    refuse(&mut behind, "tools/list").await;
    refuse(&mut behind, "resources/list").await;
    refuse(&mut behind, "resources/templates/list").await;
    let error = opening.await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Rpc(_)), "{error:?}");
}
