//! Runs the library as a process, and uses it through a client.

use mcp_runtime::transport::ChildProcess;
use mcp_runtime::types::PromptReference;
use mcp_runtime::{CallError, Client};
use serde_json::{Value, json};

async fn library() -> Client {
    let library = ChildProcess::new(env!("CARGO_BIN_EXE_library"));
    let client = Client::builder("test", "1").connect(library).await;
    client.unwrap()
}

#[tokio::test]
async fn a_tool_finds_books() {
    let library = library().await;
    assert_eq!(library.instructions().as_deref(), Some("Ask about books."));
    let found: Value = library
        .call("find", json!({"title": "s", "limit": 2}))
        .await
        .unwrap();
    let titles: Vec<&str> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|book| book["title"].as_str().unwrap())
        .collect();
    assert_eq!(titles, ["Sense and Sensibility", "Persuasion"]);
    let refused = library
        .call::<Value>("find", json!({"title": "s", "limit": 0}))
        .await;
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("out of range: 0"), "{refused}");
    let lost = library
        .call::<Value>("find", json!({"title": "dune"}))
        .await;
    assert!(matches!(&lost, Err(CallError::Tool(_))), "{lost:?}");
}

#[tokio::test]
async fn a_prompt_is_filled_in_and_completed() {
    let library = library().await;
    let arguments = [("title", "Emma"), ("tone", "witty")];
    let prompt = library.get_prompt("summary", arguments).await.unwrap();
    let prompt = serde_json::to_value(&prompt.messages[0]).unwrap();
    let expected = "Summarise the book “Emma” for a reader, in a witty tone.";
    assert_eq!(prompt["content"]["text"], expected);
    let summary = PromptReference::new("summary");
    let titles = library.complete(summary, "title", "P").await.unwrap();
    assert_eq!(titles.completion.values, ["Persuasion"]);
}

#[tokio::test]
async fn a_resource_is_one_book() {
    let library = library().await;
    let read = library.read_resource("book://978-0141439587").await;
    let read = serde_json::to_value(read.unwrap()).unwrap();
    assert_eq!(read["contents"][0]["mimeType"], "application/json");
    let book: Value = serde_json::from_str(read["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(book["title"], "Emma");
    let missing = library.read_resource("book://978-0000000000").await;
    assert!(matches!(missing, Err(CallError::Rpc(_))), "{missing:?}");
}
