use mcp_runtime::prelude::*;
use mcp_runtime::{Era, testing};
use serde_json::json;

struct Calculator;

#[mcp_server]
impl Calculator {
    /// Divides whole numbers.
    #[tool]
    fn divide(&self, a: i64, b: i64) -> Result<i64, &'static str> {
        a.checked_div(b).ok_or("division by zero")
    }
}

#[tokio::test]
async fn divides() -> Result<(), Box<dyn std::error::Error>> {
    for era in [Era::Handshake, Era::Stateless] {
        let client = testing::connect(Calculator).era(era).await?;
        let quotient: i64 = client.call("divide", json!({"a": 6, "b": 2})).await?;
        assert_eq!(quotient, 3);

        let error = client.call::<i64>("divide", json!({"a": 6, "b": 0})).await;
        let error = error.unwrap_err().to_string();
        assert!(error.contains("division by zero"));

        let error = client.call::<i64>("divide", json!({"a": 6})).await;
        let error = error.unwrap_err().to_string();
        assert!(error.contains("`b`"));
    }
    Ok(())
}
