use mcp_runtime::prelude::*;
use mcp_runtime::testing::{self, Recording};
use serde_json::json;

struct Calculator;

#[mcp_server]
impl Calculator {
    /// Adds two whole numbers.
    #[tool]
    fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
}

#[tokio::test]
async fn sends_a_number() -> Result<(), Box<dyn std::error::Error>> {
    let recording = Recording::default();
    let client = testing::connect(Calculator).record(&recording).await?;
    recording.clear(); // Forgets the negotiation.
    let _: i64 = client.call("add", json!({"a": 2, "b": 3})).await?;
    println!("{recording}");
    assert!(recording.to_string().contains(r#""structuredContent":5"#));
    Ok(())
}
