//! The log about complete results without the structured content that their tool promises.

use mcp_runtime::prelude::*;
use mcp_runtime::types::ContentBlock;
use serde_json::json;
use tracing::Level;

use crate::support::log::Log;
use crate::support::{Wire, stateless};

#[derive(JsonSchema)]
#[allow(dead_code)]
struct Graph {
    nodes: u32,
}

struct Graphs;

#[mcp_server(undocumented = "allow")]
impl Graphs {
    #[tool(output = Graph)]
    fn draw(&self, fails: bool) -> CallToolResult {
        CallToolResult::new([ContentBlock::text("drawn")]).with_is_error(fails)
    }
}

#[tokio::test]
async fn a_result_without_structured_content_is_an_error_of_the_server() {
    let (log, _guard) = Log::listening(Level::ERROR);
    let mut wire = Wire::to(&Graphs.into_server()).await;
    let mut call = async |fails: bool| {
        let params = json!({"name": "draw", "arguments": {"fails": fails}});
        wire.ask(stateless(1, "tools/call", params)).await
    };
    assert_eq!(call(true).await["result"]["isError"], true);
    assert_eq!(log.text(), "");
    let answer = call(false).await;
    if cfg!(debug_assertions) {
        assert_eq!(answer["error"]["code"], -32603);
    } else {
        assert_eq!(answer["result"]["content"][0]["text"], "drawn");
    }
    let text = log.text();
    assert!(
        text.contains("tool=\"draw\"") && text.contains("`output`"),
        "{text}"
    );
}
