//! The measured server, on turbomcp.

use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use bench_common::{ExtraTool, Options, extra_tools};
use serde::Deserialize;
use serde_json::{Value, json};
use turbomcp::http::{HttpConfig, serve_http};
use turbomcp::prelude::*;
use turbomcp::{Implementation, ListToolsContext, neutral, serve_stdio};

/// The expansion of `#[server]`, except that the number of tools is an option.
#[derive(Clone)]
struct Bench {
    tools: Arc<Vec<neutral::Tool>>,
    by_name: Arc<HashMap<String, usize>>,
}

#[derive(Deserialize)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(Deserialize)]
struct Echo {
    text: String,
}

#[derive(Deserialize)]
struct Wait {
    ms: u64,
}

impl Bench {
    fn new(tools: usize) -> Self {
        let called = [
            (
                "add",
                "Adds two whole numbers.",
                json!({"a": {"type": "integer"}, "b": {"type": "integer"}}),
            ),
            (
                "echo",
                "Says the text again.",
                json!({"text": {"type": "string"}}),
            ),
            (
                "wait",
                "Answers after a while, given in milliseconds.",
                json!({"ms": {"type": "integer"}}),
            ),
        ];
        let called = called.map(|(name, description, properties)| {
            let names: Vec<_> = properties
                .as_object()
                .into_iter()
                .flat_map(|it| it.keys())
                .collect();
            let schema = json!({"type": "object", "properties": properties, "required": names});
            tool(name.to_owned(), description.to_owned(), schema)
        });
        let extra = extra_tools(tools).map(
            |ExtraTool {
                 name,
                 description,
                 schema,
             }| { tool(name, description, Value::Object(schema)) },
        );
        let tools: Vec<_> = called.into_iter().chain(extra).collect();
        let names = tools
            .iter()
            .enumerate()
            .map(|(index, tool)| (tool.name.clone(), index));
        Self {
            by_name: Arc::new(names.collect()),
            tools: Arc::new(tools),
        }
    }
}

fn tool(name: String, description: String, input_schema: Value) -> neutral::Tool {
    let mut tool = neutral::Tool::new(name, input_schema);
    tool.description = Some(description);
    tool
}

impl McpServerCore for Bench {
    fn server_info(&self) -> Implementation {
        Implementation::new("bench-server", "0.0.0")
    }
}

impl WithTools for Bench {
    async fn lookup_tool(
        &self,
        _: &ListToolsContext,
        name: String,
    ) -> McpResult<Option<neutral::Tool>> {
        Ok(self
            .by_name
            .get(&name)
            .map(|index| self.tools[*index].clone()))
    }

    async fn list_tools(
        &self,
        _: &ListToolsContext,
        _: neutral::ListParams,
    ) -> McpResult<neutral::ListToolsResult> {
        Ok(neutral::ListToolsResult::new(self.tools.to_vec()))
    }

    async fn call_tool(
        &self,
        _: &CallToolContext,
        params: neutral::CallToolParams,
    ) -> McpResult<neutral::CallToolResult> {
        let arguments = Value::Object(params.arguments);
        let unfit = |error: serde_json::Error| McpError::invalid_params(error.to_string());
        let text = match &*params.name {
            "add" => {
                let Add { a, b } = serde_json::from_value(arguments).map_err(unfit)?;
                (a + b).to_string()
            }
            "echo" => {
                let Echo { text } = serde_json::from_value(arguments).map_err(unfit)?;
                text
            }
            "wait" => {
                let Wait { ms } = serde_json::from_value(arguments).map_err(unfit)?;
                tokio::time::sleep(Duration::from_millis(ms)).await;
                ms.to_string()
            }
            _ => "nothing found".to_owned(),
        };
        Ok(neutral::CallToolResult::text(text))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::of_process();
    let service = Bench::new(options.tools).into_server().with_tools().build();
    match options.http {
        Some(address) => serve_http(address, service, HttpConfig::new()).await?,
        None => serve_stdio(turbomcp::LegacySessionAdapter::new(service)).await?,
    }
    Ok(())
}
