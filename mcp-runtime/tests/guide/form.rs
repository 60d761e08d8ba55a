use mcp_runtime::prelude::*;
use mcp_runtime::{Client, testing};
use serde_json::json;

struct Files;

#[mcp_server]
impl Files {
    /// Deletes a file.
    #[tool]
    async fn delete(&self, path: String, #[elicit("Delete {path}?")] sure: bool) -> String {
        format!("{} {path}", if sure { "deleted" } else { "kept" })
    }
}

#[tokio::test]
async fn asks_before_a_file_is_deleted() -> Result<(), Box<dyn std::error::Error>> {
    let user = Client::builder("test", "1.0").on_form(async |form| {
        assert_eq!(form.message(), "Delete a.txt?");
        form.accept(json!({"sure": true}))
    });
    let client = testing::connect(Files).client(user).await?;
    let outcome: String = client.call("delete", json!({"path": "a.txt"})).await?;
    assert_eq!(outcome, "deleted a.txt");

    let user = Client::builder("test", "1.0").on_form(async |form| form.decline());
    let client = testing::connect(Files).client(user).await?;
    let outcome = client
        .call::<String>("delete", json!({"path": "a.txt"}))
        .await;
    assert!(outcome.is_err());
    Ok(())
}
