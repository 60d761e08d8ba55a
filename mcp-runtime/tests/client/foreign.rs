//! Servers that send odd values. Each value affects only itself, and is logged or refused with its
//! path.

use mcp_runtime::client::ResponseCache;
use mcp_runtime::types::{CallToolResult, ContentBlock, ServerNotification, Tool};
use mcp_runtime::{CallError, Client, ClientBuilder, ConnectError, Revision};
use serde_json::{Value, json};
use tracing::Level;

use crate::support::log::Log;
use crate::support::scripted::{Scripted, initialized, operating, said, stateless};

fn builder() -> ClientBuilder {
    Client::builder("test", "1.0.0").without_keep_alive()
}

async fn speaking(revision: &str) -> (Client, Scripted) {
    let (ours, mut server) = Scripted::pair();
    let connect = builder().revision(revision.parse().unwrap()).connect(ours);
    let (client, _) = tokio::join!(connect, server.shake_hands(revision));
    (client.unwrap(), server)
}

async fn called(
    client: &Client,
    server: &mut Scripted,
    result: Value,
) -> Result<CallToolResult, CallError> {
    let calling = tokio::spawn(client.call_tool("t", ()).into_future());
    let (id, _) = server.expect("tools/call").await;
    server.answer(&id, result).await;
    calling.await.unwrap()
}

async fn listed(
    client: &Client,
    server: &mut Scripted,
    result: Value,
) -> Result<Vec<Tool>, CallError> {
    let client = client.clone();
    let listing = tokio::spawn(async move { client.list_tools().await });
    let (id, _) = server.expect("tools/list").await;
    server.answer(&id, result).await;
    listing.await.unwrap()
}

/// Connects to a server that answers `initialize` with `result`.
async fn connected(result: Value) -> Result<Client, ConnectError> {
    let (ours, mut server) = Scripted::pair();
    let script = async {
        let (id, _) = server.expect("initialize").await;
        server.answer(&id, result).await;
    };
    let client = builder().revision(Revision::V2025_06_18).connect(ours);
    tokio::join!(client, script).0
}

#[tokio::test(start_paused = true)]
async fn a_member_of_a_later_revision_is_the_servers_own() {
    for (revision, own) in [
        ("2025-06-18", json!({"resultType": "input_required"})),
        ("2025-06-18", json!({"resultType": "done", "ttlMs": "1h"})),
        (
            "2025-11-25",
            json!({"resultType": "input_required", "inputRequests": {}, "requestState": 5}),
        ),
        ("2025-11-25", json!({"resultType": 7})),
        (
            "2024-11-05",
            json!({"structuredContent": 5, "resultType": []}),
        ),
    ] {
        let (client, mut server) = speaking(revision).await;
        let mut result = said("fine");
        result
            .as_object_mut()
            .unwrap()
            .extend(own.as_object().unwrap().clone());
        let result = called(&client, &mut server, result).await.unwrap();
        assert_eq!(
            (result.result_type, result.structured_content),
            (None, None),
            "{own}"
        );
        // The next message is the next call, so the tool was called only once.
        called(&client, &mut server, said("next")).await.unwrap();
        let list =
            json!({"tools": [{"name": "a", "inputSchema": {}}], "ttlMs": "1h", "resultType": "x"});
        assert_eq!(listed(&client, &mut server, list).await.unwrap().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_only_cached_where_the_revision_has_caching() {
    let builder = builder().cache(ResponseCache::new());
    let (client, mut server) = operating(builder).await;
    let list = json!({"tools": [], "ttlMs": 60_000, "cacheScope": "private"});
    for _ in 0..2 {
        listed(&client, &mut server, list.clone()).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn members_that_only_decorate_do_not_end_a_connection() {
    let (log, _guard) = Log::listening(Level::WARN);
    let mut result = initialized("2025-06-18");
    result["serverInfo"]["title"] = json!(["Scripted"]);
    result["serverInfo"]["websiteUrl"] = json!(5);
    result["capabilities"]["experimental"] = json!([]);
    result["capabilities"]["logging"] = json!([]);
    result["capabilities"]["resources"]["subscribe"] = json!("yes");
    let client = connected(result).await.unwrap();
    assert_eq!(client.server_info().unwrap().title, None);
    assert!(client.server_capabilities().logging.is_some());
    let lines = log.text();
    assert_eq!(lines.lines().count(), 2, "{lines}");
    assert!(
        lines.contains("serverInfo.title") && lines.contains("scripted"),
        "{lines}"
    );
    assert!(
        lines.contains("capabilities.resources.subscribe"),
        "{lines}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_required_member_is_an_error_with_server_and_path() {
    let mut result = initialized("2025-06-18");
    result["serverInfo"]
        .as_object_mut()
        .unwrap()
        .remove("version");
    let error = connected(result).await.unwrap_err().to_string();
    assert!(
        error.contains("serverInfo.version: missing (server `scripted`)"),
        "{error}"
    );

    let (client, mut server) = operating(builder()).await;
    for (result, reason) in [
        (
            json!({"content": [{"type": "text"}]}),
            "content[0].text: missing",
        ),
        (
            json!({"content": [], "isError": "no"}),
            "isError: must be true or false, not a string",
        ),
        (json!({}), "content: missing"),
    ] {
        let error = called(&client, &mut server, result)
            .await
            .unwrap_err()
            .to_string();
        let expected = format!("tool `t`: {reason} (server `scripted 1`)");
        assert!(error.ends_with(&expected), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_entry_that_can_not_be_read_is_left_out_and_named() {
    let (log, _guard) = Log::listening(Level::WARN);
    let (client, mut server) = operating(builder()).await;
    let tools = json!({"tools": [
        {"name": "a", "inputSchema": {}, "annotations": {"readOnlyHint": "true", "title": "A"}},
        {"name": "b"},
        {"name": "c", "inputSchema": {}, "icons": [{"src": 5}, {"src": "x:y"}]},
    ]});
    let tools = listed(&client, &mut server, tools).await.unwrap();
    let names: Vec<_> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["a", "c"]);
    assert_eq!(tools[0].annotations.as_ref().unwrap().read_only_hint, None);
    assert_eq!(tools[1].icons.as_ref().unwrap().len(), 1);
    let lines = log.text();
    assert_eq!(lines.lines().count(), 3, "{lines}");
    for parts in [
        ["tools[0].annotations.readOnlyHint", "entry=\"a\""],
        ["tools[1].inputSchema", "left_out=\"tools[1]\""],
        ["tools[2].icons[0].src", "server=\"scripted 1\""],
    ] {
        let is_there = |line: &str| parts.iter().all(|part| line.contains(part));
        assert!(lines.lines().any(is_there), "{parts:?}: {lines}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_may_answer_without_content() {
    let (client, mut server) = operating(builder()).await;
    let result = json!({"structuredContent": {"a": 1}});
    let result = called(&client, &mut server, result).await.unwrap();
    assert!(result.content.is_empty());
    assert_eq!(result.structured_content.unwrap().get(), r#"{"a":1}"#);
}

#[tokio::test(start_paused = true)]
async fn half_of_a_surrogate_pair_is_replaced() {
    let (client, mut server) = operating(builder()).await;
    let calling = tokio::spawn(client.call_tool("t", ()).into_future());
    let (id, _) = server.expect("tools/call").await;
    let result = r#"{"content":[{"type":"text","text":"a\ud800"}]}"#;
    let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
    server.send_text(&line).await;
    let result = calling.await.unwrap().unwrap();
    let ContentBlock::Text(text) = &result.content[0] else {
        panic!("{result:?}")
    };
    assert_eq!(text.text, "a\u{fffd}");

    let calling = tokio::spawn(client.call_tool("t", ()).into_future());
    let (id, _) = server.expect("tools/call").await;
    let error = r#"{"code":5,"message":"no \udc00"}"#;
    server
        .send_text(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#))
        .await;
    match calling.await.unwrap().unwrap_err() {
        CallError::Rpc(error) => assert_eq!(error.message, "no \u{fffd}"),
        error => panic!("{error}"),
    }
}

#[tokio::test(start_paused = true)]
async fn questions_and_notifications_are_read_leniently() {
    let (log, _guard) = Log::listening(Level::WARN);
    let (client, mut server) = operating(builder().on_form(async |form| form.decline())).await;
    let mut notifications = client.notifications();
    let params = json!({"level": "info", "logger": 5, "data": "news"});
    server.notify("notifications/message", params).await;
    match notifications.next().await.unwrap() {
        ServerNotification::LoggingMessage(message) => assert_eq!(message.logger, None),
        other => panic!("{other:?}"),
    }
    let name = json!({"type": "string", "title": 5});
    let schema = json!({"type": "object", "properties": {"name": name}});
    let question = |schema| {
        let params = json!({"message": "?", "requestedSchema": schema});
        json!({"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": params})
    };
    server.send(question(schema)).await;
    let answer = server.next().await.unwrap();
    assert_eq!(answer["result"]["action"], "decline", "{answer}");
    server.send(question(json!({"type": "object"}))).await;
    let error = server.next().await.unwrap()["error"]["message"].clone();
    assert!(
        error
            .as_str()
            .unwrap()
            .contains("params.requestedSchema.properties: missing"),
        "{error}"
    );
    let lines = log.text();
    for path in ["params.logger", "requestedSchema.properties.name.title"] {
        assert!(lines.contains(path), "{path}: {lines}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stateless_server_may_describe_itself_badly() {
    let (client, mut server) = stateless(builder()).await;
    let info = json!({"io.modelcontextprotocol/serverInfo": {"name": 5}});
    let mut result = said("fine");
    result["_meta"] = info;
    result["resultType"] = json!("complete");
    let result = called(&client, &mut server, result).await.unwrap();
    assert_eq!(result.meta.unwrap().server_info, None);
    let mut result = said("fine");
    result["resultType"] = json!(5);
    let error = called(&client, &mut server, result)
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("resultType: "), "{error}");
}
