//! A server in a package that renames its dependency on the runtime.

use framework::prelude::*;

/// A book. serde's derive macro needs the path of the renamed crate, while schemars' finds
/// `schemars` in the prelude.
#[derive(Serialize, JsonSchema)]
#[serde(crate = "framework::serde")]
struct Book {
    title: String,
}

struct Library;

#[mcp_server]
impl Library {
    /// Finds books by title.
    #[tool]
    fn find(&self, title: String) -> Vec<Book> {
        vec![Book { title }]
    }

    #[prompt]
    fn summary(&self, title: String) -> String {
        format!("Summarise {title}.")
    }
}

/// Counts the letters of a string.
#[tool]
fn count(text: String) -> usize {
    text.chars().count()
}

#[framework::main]
async fn main() -> Result<(), ServeError> {
    let mut server = framework::Server::builder();
    std::sync::Arc::new(Library).register(&mut server);
    server.tool(count);
    server.build().serve(stdio()).await
}

#[cfg(test)]
mod tests {
    use framework::transport::memory;
    use framework::{CallError, Client, McpServer as _};

    #[tokio::test]
    async fn it_serves() -> Result<(), CallError> {
        let (ours, theirs) = memory::pair();
        tokio::spawn(super::Library.serve(theirs).signals(false).into_future());
        let client = Client::builder("test", "1").connect(ours).await;
        let client = client.expect("a connection");
        let found: serde_json::Value = client
            .call("find", serde_json::json!({"title": "Emma"}))
            .await?;
        assert_eq!(found, serde_json::json!([{"title": "Emma"}]));
        assert_eq!(super::count("Emma".to_owned()), 4);
        Ok(())
    }
}
