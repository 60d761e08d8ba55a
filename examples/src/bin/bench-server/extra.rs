//! Tools that make lists as long as those of real servers.

use mcp_runtime::server::Reply;
use mcp_runtime::server::tools::ToolRoute;
use mcp_runtime::types::{RawJson, Tool};
use mcp_runtime::{IntoToolResult, serde_json};

/// One tool, described in about a kilobyte.
pub(crate) fn tool(number: usize) -> ToolRoute {
    let schema = serde_json::json!({
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "description": "Words to look for; a phrase stands in quotation marks",
                "minLength": 1,
                "maxLength": 500
            },
            "kind": {
                "type": "string",
                "enum": ["issue", "document", "message", "person"],
                "description": "Kind of record to look among"
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": 100,
                "default": 20,
                "description": "At most this many records are returned"
            },
            "period": {
                "type": "object",
                "properties": {
                    "from": { "type": "string", "format": "date-time" },
                    "to": { "type": "string", "format": "date-time" }
                },
                "required": ["from"],
                "description": "Only records that were changed within it"
            },
            "labels": { "type": "array", "items": { "type": "string" }, "maxItems": 10 }
        },
        "required": ["query"]
    });
    let schema = RawJson::new(&schema).expect("a value is JSON");
    let tool = Tool::new(format!("search_records_{number}"), schema).with_description(format!(
        "Searches the records of department {number} and returns those that match best, newest first."
    ));
    ToolRoute::new(tool, |_| Reply::Ready("nothing found".into_tool_result()))
}
