//! Annotated functions as a client sees them: their arguments, their answers, and how they are
//! listed.

#![allow(clippy::unwrap_used, clippy::needless_pass_by_value)]

mod arguments;
mod attributes;
mod blocking;
mod compiled_out;
#[cfg(feature = "testing")]
mod conditions;
mod context;
mod definitions;
#[cfg(feature = "testing")]
mod elicited_types;
mod forms;
mod headers;
mod hooks;
mod json_arguments;
mod lenient;
mod output_schemas;
#[cfg(feature = "pattern")]
mod patterns;
mod prompts;
mod questions;
mod resources;
mod results;
mod schemas;
mod server;
mod structs;
#[path = "../support/mod.rs"]
mod support;
mod table;
mod uris;
mod visible;

use mcp_runtime::{McpServer, Server};
use serde_json::{Value, json};
use support::{Wire, stateless};

/// Calls a tool, and returns the whole answer.
async fn answer(server: &Server, tool: &str, arguments: Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    let mut wire = Wire::to(server).await;
    wire.ask(stateless(1, "tools/call", params)).await
}

/// Calls a tool, and returns its result without the members that every result has.
async fn call(server: &Server, tool: &str, arguments: Value) -> Value {
    let mut answer = answer(server, tool, arguments).await;
    let result = answer["result"].as_object_mut().expect("a result");
    result.retain(|key, _| ["content", "structuredContent", "isError"].contains(&key.as_str()));
    answer["result"].take()
}

/// Calls a tool with wrong arguments, and returns the lines of the error.
async fn faults(server: &Server, tool: &str, arguments: Value) -> Vec<String> {
    let result = call(server, tool, arguments).await;
    assert_eq!(result["isError"], true, "{result}");
    let text = result["content"][0]["text"].as_str().unwrap();
    text.lines().map(str::to_owned).collect()
}

async fn list(server: &Server) -> Vec<Value> {
    let mut wire = Wire::to(server).await;
    let answer = wire.ask(stateless(1, "tools/list", json!({}))).await;
    answer["result"]["tools"].as_array().unwrap().clone()
}

/// Returns one tool as it is listed.
async fn listed(server: impl McpServer, tool: &str) -> Value {
    let tools = list(&server.into_server()).await;
    tools
        .into_iter()
        .find(|listed| listed["name"] == tool)
        .unwrap()
}

/// Returns a result with one block of text.
fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

/// Returns a result that is JSON, with its copy as text.
fn structured(value: impl Into<Value>) -> Value {
    let value = value.into();
    json!({"content": [{"type": "text", "text": value.to_string()}], "structuredContent": value})
}
