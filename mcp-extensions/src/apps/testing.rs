//! A check for the tests of servers.

use mcp_runtime::Client;
use serde::Serialize;

use super::types::page_uri;

/// Calls a tool that has a page, and returns the text that a model gets. For tests of servers, with a
/// client of `mcp_runtime::testing::connect`.
///
/// # Panics
///
/// Panics if the tool has no page, if the call fails, or if the result has no text: hosts without apps
/// would show nothing (Graceful Degradation).
pub async fn text_without_page(client: &Client, name: &str, arguments: impl Serialize) -> String {
    let tools = client
        .list_tools()
        .await
        .expect("the tools can't be listed");
    let tool = tools.iter().find(|tool| tool.name == name);
    let page = tool.and_then(page_uri);
    let page = page.unwrap_or_else(|| panic!("the server has no tool `{name}` with a page"));
    let result = client.call_tool(name, arguments).await;
    let result = result.unwrap_or_else(|error| panic!("calling `{name}` failed: {error}"));
    let text = result.texts().collect::<Vec<_>>().join("\n");
    assert_ne!(result.is_error, Some(true), "`{name}` failed: {text}");
    assert!(
        !text.trim().is_empty(),
        "`{name}` returns no text, so hosts that do not show `{page}` would show nothing"
    );
    text
}
