use mcp_runtime::Client;
use mcp_runtime::testing::Replay;
use serde_json::json;

#[tokio::test]
async fn adds_without_the_server() -> Result<(), Box<dyn std::error::Error>> {
    let replay = Replay::from_file("tests/guide/add.jsonl")?;
    let client = Client::builder("test", "1.0.0").connect(replay).await?;
    let sum: i64 = client.call("add", json!({"a": 2, "b": 3})).await?;
    assert_eq!(sum, 5);
    Ok(())
}
