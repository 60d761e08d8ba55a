//! Arguments that headers repeat, for tools that the client has not listed or has forgotten.

use std::sync::Arc;
use std::time::Duration;

use mcp_runtime::client::ResponseCache;
use mcp_runtime::transport::http_client::http_client;
use mcp_runtime::{CallError, Client, ClientBuilder, Era};
use serde_json::{Value, json};

use crate::scripted::{Exchange, Script, Scripted};
use crate::site::Site;
use crate::support::clock::{Clock, in_time};

fn builder() -> ClientBuilder {
    Client::builder("test", "1").era(Era::Stateless)
}

async fn connect(builder: ClientBuilder, url: String) -> Client {
    in_time(builder.connect(http_client(url).retries(0)))
        .await
        .unwrap()
}

fn tool(name: &str, header: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": header}}}})
}

/// Answers `server/discover`, and returns every other request.
async fn discovered(exchange: Exchange) -> Option<Exchange> {
    match &*exchange.name() {
        "server/discover" => {
            let result = json!({"resultType": "complete", "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {}}, "ttlMs": 0, "cacheScope": "private"});
            exchange.result(result).await;
            None
        }
        _ => Some(exchange),
    }
}

async fn list(exchange: Exchange, tools: Value) {
    let result = json!({"resultType": "complete", "tools": tools, "ttlMs": 60_000,
        "cacheScope": "public"});
    exchange.result(result).await;
}

async fn mismatch(exchange: Exchange) {
    let error = json!({"code": -32020, "message": "Header mismatch: mcp-param-region"});
    let answer = json!({"jsonrpc": "2.0", "id": exchange.message["id"], "error": error});
    let headers = "content-type: application/json\r\n";
    exchange.reply(400, headers, &answer.to_string()).await;
}

/// Starts a server that lists these tools one after the other, and serves only calls with `header`.
async fn server(tools: impl IntoIterator<Item = Value>, header: &'static str) -> Scripted {
    let tools = Arc::new(Script::new(tools));
    Scripted::new(move |exchange| {
        let tools = Arc::clone(&tools);
        async move {
            let Some(exchange) = discovered(exchange).await else {
                return;
            };
            match &*exchange.name() {
                "tools/list" => list(exchange, tools.next()).await,
                _ if exchange.header(header) == "us" => exchange.say("there").await,
                _ => mismatch(exchange).await,
            }
        }
    })
    .await
}

async fn call(client: &Client) -> Result<String, CallError> {
    in_time(client.call("query", json!({"region": "us"})).into_future()).await
}

#[tokio::test]
async fn a_tool_that_was_not_listed_is_called_again_after_it_was() {
    let site = Site::open().await;
    let client = connect(builder(), format!("http://{}/mcp", site.addr)).await;
    let arguments = json!({"region": "Hello, 世界"});
    let there: String = client.call("region", arguments).await.unwrap();
    assert_eq!(there, "there");

    let server = server([json!([tool("query", "Region")])], "mcp-param-region").await;
    let client = connect(builder(), server.url()).await;
    for _ in 0..2 {
        assert_eq!(call(&client).await.unwrap(), "there");
    }
    assert_eq!(
        server.seen()[1..],
        ["tools/call", "tools/list", "tools/call", "tools/call"]
    );
    assert!(client.known_tool("query").is_some());
}

#[tokio::test]
async fn a_tool_whose_headers_have_changed_is_listed_again_also_if_the_list_is_cached() {
    let tools = [
        json!([tool("query", "Area")]),
        json!([tool("query", "Region")]),
    ];
    let server = server(tools, "mcp-param-region").await;
    let cache = ResponseCache::new();
    let client = connect(builder().cache(cache.clone()), server.url()).await;
    client.list_tools().await.unwrap();
    assert_eq!(call(&client).await.unwrap(), "there");
    assert_eq!(server.count("tools/list"), 2);

    // Another client gets the list from the cache, but must learn its headers from the server.
    let client = connect(builder().cache(cache), server.url()).await;
    client.list_tools().await.unwrap();
    assert_eq!(server.count("tools/list"), 2);
    assert_eq!(call(&client).await.unwrap(), "there");
    assert_eq!(server.count("tools/list"), 3);
}

#[tokio::test]
async fn headers_that_a_tool_no_longer_has_are_not_sent() {
    let plain = json!([{"name": "query", "inputSchema": {"type": "object"}}]);
    let server = server(
        [json!([tool("query", "Region")]), plain],
        "mcp-param-region",
    )
    .await;
    let client = connect(builder(), server.url()).await;
    client.list_tools().await.unwrap();
    assert_eq!(call(&client).await.unwrap(), "there");
    client.list_tools().await.unwrap();
    // This server still requires the header.
    assert!(call(&client).await.is_err());
}

#[tokio::test]
async fn a_call_that_stays_refused_is_sent_twice() {
    let server = server([json!([tool("query", "Other")])], "mcp-param-region").await;
    let client = connect(builder(), server.url()).await;
    let error = call(&client).await.unwrap_err();
    assert!(
        matches!(&error, CallError::Rpc(error) if error.code == -32020),
        "{error}"
    );
    assert_eq!(
        server.seen()[1..],
        ["tools/call", "tools/list", "tools/call"]
    );
}

#[tokio::test]
async fn a_call_is_not_sent_again_when_the_tools_can_not_be_listed() {
    let clock = Clock::stopped();
    for hangs in [false, true] {
        let server = Scripted::new(move |exchange| async move {
            let Some(exchange) = discovered(exchange).await else {
                return;
            };
            match &*exchange.name() {
                "tools/list" if hangs => exchange.hang().await,
                "tools/list" => exchange.reply(500, "", "").await,
                _ => mismatch(exchange).await,
            }
        })
        .await;
        let client = connect(builder(), server.url()).await;
        let call = client.call_tool("query", json!({"region": "us"}));
        let call = call.timeout(Duration::from_secs(30)).into_future();
        let error = clock.run_until(Duration::from_secs(1), in_time(call)).await;
        let error = error.unwrap_err();
        assert!(
            matches!(&error, CallError::Rpc(error) if error.code == -32020),
            "{error}"
        );
        assert_eq!(server.count("tools/call"), 1);
    }
}

#[tokio::test]
async fn the_names_of_a_server_that_lists_without_end_are_not_kept() {
    let mut page = 0;
    let mut flood = vec![json!([tool("query", "Region")])];
    flood.resize_with(9, || {
        page += 1;
        let name = |n: usize| format!("{}-{page}-{n}", "x".repeat(1000));
        let tools: Vec<_> = (0..130).map(|n| tool(&name(n), "Region")).collect();
        json!(tools)
    });
    flood.push(json!([tool("query", "Region")]));
    let server = server(flood, "mcp-param-region").await;
    let client = connect(builder(), server.url()).await;
    for _ in 0..8 {
        client.list_tools().await.unwrap();
    }
    assert_eq!(call(&client).await.unwrap(), "there");
    assert_eq!(
        server.count("tools/call"),
        1,
        "the names fit into the limit"
    );
    // With another page, the names exceed 1 MiB.
    client.list_tools().await.unwrap();
    assert_eq!(call(&client).await.unwrap(), "there");
    assert_eq!(server.count("tools/call"), 3, "the tool was forgotten");
    assert_eq!(server.count("tools/list"), 10);
}
