//! Tools that make `tools/list` as long as on a real server.

use mcp_runtime::IntoToolResult;
use mcp_runtime::server::Reply;
use mcp_runtime::server::tools::ToolEntry;
use mcp_runtime::types::{RawJson, Tool};

/// The input schema of each tool. All compared servers use the same one.
const SCHEMA: &str = include_str!("schema.json");

/// Returns a tool whose description and schema take about a kilobyte.
pub(crate) fn tool(number: usize) -> ToolEntry {
    let schema: serde_json::Value = serde_json::from_str(SCHEMA).expect("the file is JSON");
    let schema = RawJson::new(&schema).expect("a value is JSON");
    let tool = Tool::new(format!("search_records_{number}"), schema).with_description(format!(
        "Searches the records of department {number} and returns those that match best, newest first."
    ));
    ToolEntry::new(tool, |_| Reply::Ready("nothing found".into_tool_result()))
}
