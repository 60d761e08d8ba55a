//! The tools of the server.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bench_common::extra_tools;
use rust_mcp_sdk::macros::{JsonSchema, mcp_tool};
use rust_mcp_sdk::mcp_server::ServerHandler;
use rust_mcp_sdk::schema::schema_utils::CallToolError;
use rust_mcp_sdk::schema::{
    CallToolRequestParams, CallToolResult, ContentBlock, ListToolsResult,
    ListToolsResultCacheScope, PaginatedRequestParams, RpcError, ServerResult, Tool,
    ToolInputSchema,
};
use rust_mcp_sdk::{McpServer, RequestContext};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

#[mcp_tool(name = "add", description = "Adds two whole numbers.")]
#[derive(Deserialize, JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

#[mcp_tool(name = "echo", description = "Says the text again.")]
#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

#[mcp_tool(
    name = "wait",
    description = "Answers after a while, given in milliseconds."
)]
#[derive(Deserialize, JsonSchema)]
struct Wait {
    ms: u64,
}

pub(crate) struct Bench {
    tools: Vec<Tool>,
}

impl Bench {
    pub(crate) fn new(tools: usize) -> Self {
        let extra = extra_tools(tools).map(|extra| Tool {
            name: extra.name,
            description: Some(extra.description),
            input_schema: ToolInputSchema::new(None, Some(without_type(extra.schema))),
            annotations: None,
            icons: Vec::new(),
            meta: None,
            output_schema: None,
            title: None,
        });
        let called = [Add::tool(), Echo::tool(), Wait::tool()];
        Self {
            tools: called.into_iter().chain(extra).collect(),
        }
    }
}

/// Removes `type` from a schema, because the SDK adds it.
fn without_type(mut schema: Map<String, Value>) -> Map<String, Value> {
    schema.remove("type");
    schema
}

fn arguments<T: DeserializeOwned>(
    arguments: Option<Map<String, Value>>,
) -> Result<T, CallToolError> {
    serde_json::from_value(Value::Object(arguments.unwrap_or_default())).map_err(CallToolError::new)
}

#[async_trait]
impl ServerHandler for Bench {
    async fn handle_list_tools_request(
        &self,
        _: Option<PaginatedRequestParams>,
        _: &RequestContext,
        _: Arc<dyn McpServer>,
    ) -> Result<ListToolsResult, RpcError> {
        Ok(ListToolsResult {
            tools: self.tools.clone(),
            meta: None,
            next_cursor: None,
            cache_scope: ListToolsResultCacheScope::Private,
            result_type: "complete".to_owned(),
            ttl_ms: 0,
        })
    }

    async fn handle_call_tool_request(
        &self,
        params: CallToolRequestParams,
        _: &RequestContext,
        _: Arc<dyn McpServer>,
    ) -> Result<ServerResult, CallToolError> {
        let text = match &*params.name {
            "add" => {
                let Add { a, b } = arguments(params.arguments)?;
                (a + b).to_string()
            }
            "echo" => {
                let Echo { text } = arguments(params.arguments)?;
                text
            }
            "wait" => {
                let Wait { ms } = arguments(params.arguments)?;
                tokio::time::sleep(Duration::from_millis(ms)).await;
                ms.to_string()
            }
            _ => "nothing found".to_owned(),
        };
        Ok(ServerResult::CallToolResult(CallToolResult {
            content: vec![ContentBlock::text_content(text)],
            is_error: None,
            meta: None,
            result_type: "complete".to_owned(),
            structured_content: None,
        }))
    }
}
