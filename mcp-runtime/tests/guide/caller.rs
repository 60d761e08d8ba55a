use mcp_runtime::prelude::*;
use mcp_runtime::testing;
use serde_json::json;

#[derive(Clone, FromContext)]
#[from_context(identity)]
struct User(&'static str);

struct Library;

#[mcp_server]
impl Library {
    /// Greets the reader.
    #[tool]
    fn greet(&self, user: &User) -> String {
        format!("Hello, {}!", user.0)
    }
}

#[tokio::test]
async fn greets_only_readers() -> Result<(), Box<dyn std::error::Error>> {
    let ada = testing::connect(Library).identity(User("Ada")).await?;
    let greeting: String = ada.call("greet", json!({})).await?;
    assert_eq!(greeting, "Hello, Ada!");

    let stranger = testing::connect(Library).await?;
    assert!(stranger.call::<String>("greet", json!({})).await.is_err());
    Ok(())
}
