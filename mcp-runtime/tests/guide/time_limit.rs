use std::time::Duration;

use mcp_runtime::prelude::*;
use mcp_runtime::testing;
use serde_json::json;

struct Slow;

#[mcp_server]
impl Slow {
    /// Never ends.
    #[tool(timeout = "1h")]
    async fn wait(&self) {
        std::future::pending::<()>().await;
    }
}

#[tokio::test]
async fn gives_up_after_an_hour() -> Result<(), Box<dyn std::error::Error>> {
    let client = testing::connect(Slow).paused().await?;
    let call = client.call::<()>("wait", json!({}));
    assert!(call.timeout(Duration::from_secs(7200)).await.is_err());
    Ok(())
}
