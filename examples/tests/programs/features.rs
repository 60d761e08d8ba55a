//! Runs one example for each feature as a process. A client sees the same in both eras.

use std::path::Path;
use std::process::Command;

use mcp_runtime::transport::ChildProcess;
use mcp_runtime::types::{
    CompleteRequest, CompleteRequestParams, CompletionArgument, CompletionContext, PromptReference,
    ServerNotification, SubscriptionFilter,
};
use mcp_runtime::{Client, Era, Revision};
use serde_json::{Value, json};

const REVISIONS: [Revision; 2] = [Revision::LATEST_HANDSHAKE, Revision::LATEST];

async fn connect(binary: &str, arguments: &[&Path], revision: Revision) -> Client {
    let example = ChildProcess::new(binary).args(arguments);
    let client = Client::builder("features", "1.0.0").revision(revision);
    client.connect(example).await.unwrap()
}

/// Checks that `script` observes the same in each era.
async fn compare(
    binary: &str,
    arguments: &[&Path],
    script: impl AsyncFn(&Client) -> Value,
) -> Value {
    let mut seen = Vec::new();
    for revision in REVISIONS {
        let client = connect(binary, arguments, revision).await;
        seen.push(script(&client).await);
        client.close().await;
    }
    assert_eq!(seen[0], seen[1]);
    seen.swap_remove(0)
}

async fn tool_names(client: &Client) -> Vec<String> {
    let tools = client.list_tools().await.unwrap();
    tools.into_iter().map(|tool| tool.name).collect()
}

#[tokio::test]
async fn examples_introduce_themselves_by_their_own_names() {
    for binary in [
        env!("CARGO_BIN_EXE_completion"),
        env!("CARGO_BIN_EXE_composition"),
        env!("CARGO_BIN_EXE_dynamic"),
        env!("CARGO_BIN_EXE_elicit"),
        env!("CARGO_BIN_EXE_extension"),
        env!("CARGO_BIN_EXE_files"),
        env!("CARGO_BIN_EXE_gateway"),
        env!("CARGO_BIN_EXE_library"),
        env!("CARGO_BIN_EXE_logging"),
        env!("CARGO_BIN_EXE_progress"),
        env!("CARGO_BIN_EXE_sample"),
        env!("CARGO_BIN_EXE_subscriptions"),
    ] {
        let client = connect(binary, &[], Revision::LATEST).await;
        let name = client.server_info().unwrap().name;
        let file = Path::new(binary).file_stem().unwrap();
        assert_eq!(file.to_str(), Some(&*name));
        client.close().await;
    }
}

#[test]
fn a_gateway_says_which_server_it_can_not_offer() {
    for (text, expected) in [
        (
            r#"{"mcpServers": {"9 é": {"command": "a"}}}"#,
            "`9 é` can't be a prefix",
        ),
        (
            r#"{"mcpServers": {"a b": {"command": "a"}, "A (b)": {"command": "a"}}}"#,
            "two servers have the prefix `A-b`",
        ),
        (
            r#"{"mcpServers": {"broken": {"command": "a", "args": "b"}}}"#,
            "1:18: server `broken`: `args` must be a sequence",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mcp.json");
        std::fs::write(&file, text).unwrap();
        let gateway = Command::new(env!("CARGO_BIN_EXE_gateway"))
            .arg(file)
            .output();
        let output = gateway.unwrap();
        assert!(!output.status.success());
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(expected), "{said}");
    }
}

#[tokio::test]
async fn files_are_listed_and_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let arguments = [root.as_path()];
    let seen = compare(env!("CARGO_BIN_EXE_files"), &arguments, async |client| {
        let listed = client.list_resources().await.unwrap();
        assert!(listed.len() > 10, "more than one page");
        let uri = "file:///bin/calculator.rs";
        assert!(listed.iter().any(|file| file.uri == uri));
        let read = client.read_resource(uri).await.unwrap();
        let outside = client.read_resource("file:///../Cargo.toml").await;
        json!({"contents": read.contents, "outside": outside.is_err()})
    });
    let seen = seen.await;
    assert_eq!(seen["contents"][0]["mimeType"], "text/x-rust");
    assert_eq!(seen["outside"], true);
}

#[tokio::test]
async fn tools_come_and_go_and_clients_are_told() {
    let seen = compare(env!("CARGO_BIN_EXE_dynamic"), &[], async |client| {
        assert_eq!(tool_names(client).await, ["learn", "forget"]);
        let mut notifications = client.notifications();
        // Stateless clients subscribe. In the handshake era, the server notifies every client.
        let filter = SubscriptionFilter::new().with_tools_list_changed(true);
        let subscription = client.listen(filter).await;
        assert_eq!(
            subscription.is_ok(),
            client.revision().era() == Era::Stateless
        );
        let lesson = json!({"name": "greet", "answer": "hello"});
        client.call_tool("learn", lesson).await.unwrap();
        let told = match subscription {
            Ok(mut subscription) => subscription.next().await.unwrap(),
            Err(_) => notifications.next().await,
        };
        assert!(matches!(told, Some(ServerNotification::ToolListChanged(_))));
        let names = tool_names(client).await;
        let said: String = client.call("greet", json!({"to": "you"})).await.unwrap();
        client
            .call_tool("forget", json!({"name": "greet"}))
            .await
            .unwrap();
        let after = tool_names(client).await;
        json!([names, said, after])
    });
    let expected = json!([
        ["learn", "forget", "greet"],
        "you: hello",
        ["learn", "forget"]
    ]);
    assert_eq!(seen.await, expected);
}

#[tokio::test]
async fn arguments_are_completed_with_regard_to_each_other() {
    let seen = compare(env!("CARGO_BIN_EXE_completion"), &[], async |client| {
        let prompt = PromptReference::new("journey");
        let all = client.complete(prompt.clone(), "city", "P").await.unwrap();
        let chosen = CompletionContext::new().with_arguments([("country", "de".to_owned())]);
        let city = CompletionArgument::new("city", "P");
        let params = CompleteRequestParams::new(prompt, city).with_context(chosen);
        let some = client.request::<CompleteRequest>(params).await.unwrap();
        json!([all.completion.values, some.completion.values])
    });
    let expected = json!([["Paris", "Poitiers", "Potsdam"], ["Potsdam"]]);
    assert_eq!(seen.await, expected);
}

#[tokio::test]
async fn mounted_servers_keep_their_names_apart() {
    let seen = compare(env!("CARGO_BIN_EXE_composition"), &[], async |client| {
        let word: String = client
            .call("words_look_up", json!({"word": "yak"}))
            .await
            .unwrap();
        let place: String = client
            .call("places_look_up", json!({"place": "Rome"}))
            .await
            .unwrap();
        let read = client.read_resource("words+words://all").await.unwrap();
        json!([tool_names(client).await, word, place, read.contents])
    });
    let seen = seen.await;
    assert_eq!(seen[0], json!(["words_look_up", "places_look_up"]));
    assert_eq!(seen[1], "Nobody knows what `yak` means.");
    assert_eq!(seen[2], "Rome is somewhere else.");
    assert_eq!(seen[3][0]["uri"], "words+words://all");
}

#[tokio::test]
async fn a_gateway_offers_servers_of_any_name() {
    let server = json!({"command": env!("CARGO_BIN_EXE_calculator")});
    let names = ["Azure MCP Server", "com.example/x", "git (local)"];
    let servers: serde_json::Map<_, _> = names
        .map(|it| (it.to_owned(), server.clone()))
        .into_iter()
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mcp.json");
    std::fs::write(&path, json!({"mcpServers": servers}).to_string()).unwrap();
    let gateway = env!("CARGO_BIN_EXE_gateway");
    let client = connect(gateway, &[path.as_path()], Revision::LATEST).await;
    let mut prefixes = tool_names(&client).await;
    prefixes.retain(|it| it.ends_with("_add"));
    client.close().await;
    let expected = ["Azure-MCP-Server", "com-example-x", "git-local"];
    assert_eq!(prefixes, expected.map(|it| format!("{it}_add")));
}

#[tokio::test]
async fn a_gateway_stands_for_other_servers() {
    let file = json!({"mcpServers": {
        "calculator": {"command": env!("CARGO_BIN_EXE_calculator")},
        "dynamic": {"command": env!("CARGO_BIN_EXE_dynamic")},
        "paused": {"command": "/does/not/exist", "disabled": true},
    }});
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mcp.json");
    std::fs::write(&path, file.to_string()).unwrap();
    let gateway = env!("CARGO_BIN_EXE_gateway");
    let arguments = [path.as_path()];
    let seen = compare(gateway, &arguments, async |client| {
        let sum: i64 = client
            .call("calculator_add", json!({"a": 2, "b": 3}))
            .await
            .unwrap();
        let failed = json!({"a": 1, "b": 0});
        let failed = client.call_tool("calculator_divide", failed).await.unwrap();
        json!([tool_names(client).await, sum, failed.is_error])
    });
    let names = [
        "calculator_add",
        "calculator_divide",
        "calculator_echo",
        "dynamic_learn",
        "dynamic_forget",
    ];
    assert_eq!(seen.await, json!([names, 5, true]));
}
