//! Answers that a client caches.

use std::time::Duration;

use mcp_runtime::client::ResponseCache;
use mcp_runtime::{Client, ClientBuilder};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::support::scripted::{Scripted, discovered, stateless};

fn builder(cache: &ResponseCache) -> ClientBuilder {
    Client::builder("test", "1.0.0").cache(cache.clone())
}

fn tools(name: &str, ttl: i64, scope: &str) -> Value {
    let tool = json!({"name": name, "inputSchema": {"type": "object"}});
    json!({"resultType": "complete", "tools": [tool], "ttlMs": ttl, "cacheScope": scope})
}

fn listing(client: &Client) -> JoinHandle<String> {
    let client = client.clone();
    tokio::spawn(async move { client.list_tools().await.unwrap().remove(0).name })
}

/// Lists the tools, and answers with `result` as the server.
async fn asked(client: &Client, server: &mut Scripted, result: Value) -> String {
    let listing = listing(client);
    let (id, _) = server.expect("tools/list").await;
    server.answer(&id, result).await;
    listing.await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_kept_for_as_long_as_the_server_says() {
    let cache = ResponseCache::new();
    let (client, mut server) = stateless(builder(&cache)).await;
    let answer = tools("a", 1000, "private");
    assert_eq!(asked(&client, &mut server, answer).await, "a");
    assert_eq!(
        listing(&client).await.unwrap(),
        "a",
        "the server was asked again"
    );
    tokio::time::advance(Duration::from_millis(1000)).await;
    assert_eq!(
        asked(&client, &mut server, tools("b", 0, "private")).await,
        "b"
    );
    let forgotten = json!({"resultType": "complete", "tools": tools("d", 0, "")["tools"]});
    assert_eq!(asked(&client, &mut server, forgotten).await, "d");
    assert_eq!(
        asked(&client, &mut server, tools("e", 1, "public")).await,
        "e"
    );
}

#[tokio::test]
async fn what_the_server_says_has_changed_is_asked_for_again() {
    let cache = ResponseCache::new();
    let (client, mut server) = stateless(builder(&cache)).await;
    let long = |name| tools(name, 3_600_000, "public");
    assert_eq!(asked(&client, &mut server, long("a")).await, "a");
    server
        .notify("notifications/prompts/list_changed", json!({}))
        .await;
    assert_eq!(listing(&client).await.unwrap(), "a");
    let mut notifications = client.notifications();
    server
        .notify("notifications/tools/list_changed", json!({}))
        .await;
    notifications.next().await.unwrap();
    assert_eq!(asked(&client, &mut server, long("b")).await, "b");

    // An answer that arrives after the change is not cached.
    cache.clear();
    let late = listing(&client);
    let (id, _) = server.expect("tools/list").await;
    server
        .notify("notifications/tools/list_changed", json!({}))
        .await;
    server.answer(&id, long("c")).await;
    assert_eq!(late.await.unwrap(), "c");
    assert_eq!(asked(&client, &mut server, long("d")).await, "d");
}

#[tokio::test]
async fn clients_share_what_is_public_and_nothing_else() {
    let cache = ResponseCache::new();
    let (one, mut first) = stateless(builder(&cache)).await;
    let (other, mut second) = stateless(builder(&cache)).await;
    let private = tools("private", 60_000, "private");
    assert_eq!(asked(&one, &mut first, private.clone()).await, "private");
    let public = tools("public", 60_000, "public");
    assert_eq!(asked(&other, &mut second, public).await, "public");
    assert_eq!(listing(&other).await.unwrap(), "public");
    assert_eq!(listing(&one).await.unwrap(), "private");
    let (third, _server) = stateless(builder(&cache)).await;
    assert_eq!(listing(&third).await.unwrap(), "public");
}

#[tokio::test]
async fn other_parameters_are_another_question_and_fresh_answers_can_be_demanded() {
    let cache = ResponseCache::new();
    let (ours, mut server) = Scripted::pair();
    let mut found = discovered(&["2026-07-28"]);
    found["capabilities"]["resources"] = json!({});
    let script = async {
        let (id, _) = server.expect("server/discover").await;
        server.answer(&id, found).await;
    };
    let (client, ()) = tokio::join!(builder(&cache).connect(ours), script);
    let client = client.unwrap();
    let read = |uri: &str, fresh: bool| {
        let call = client.read_resource(uri);
        let call = if fresh { call.fresh() } else { call };
        tokio::spawn(async move { call.await.unwrap().contents.len() })
    };
    let contents = |count: usize| {
        let contents = vec![json!({"uri": "a:1", "text": "x"}); count];
        json!({"resultType": "complete", "contents": contents, "ttlMs": 60_000})
    };
    let mut count = 0;
    for (uri, fresh) in [("a:1", false), ("a:2", false), ("a:1", true)] {
        let reading = read(uri, fresh);
        let (id, params) = server.expect("resources/read").await;
        assert_eq!(params["uri"], uri);
        count += 1;
        server.answer(&id, contents(count)).await;
        assert_eq!(reading.await.unwrap(), count);
    }
    assert_eq!(read("a:1", false).await.unwrap(), 3);
    assert_eq!(read("a:2", false).await.unwrap(), 2);
}

#[tokio::test]
async fn nothing_is_kept_unless_it_is_asked_for() {
    let (client, mut server) = stateless(Client::builder("test", "1.0.0")).await;
    for name in ["a", "b"] {
        let answer = tools(name, 60_000, "public");
        assert_eq!(asked(&client, &mut server, answer).await, name);
    }
}
