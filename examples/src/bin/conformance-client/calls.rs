//! The requests that the scenarios expect.

use mcp_runtime::Client;
use mcp_runtime::types::{
    GetPromptRequest, GetPromptRequestParams, ListPromptsRequest, ListResourcesRequest,
    ReadResourceRequest, ReadResourceRequestParams, Tool,
};
use serde_json::{Value, json};

use crate::{Outcome, context};

/// Calls each tool with valid arguments.
pub(crate) async fn every_tool(client: &Client) -> Outcome {
    for tool in client.list_tools().await? {
        client.call_tool(&tool.name, arguments(&tool)?).await?;
    }
    Ok(())
}

fn arguments(tool: &Tool) -> serde_json::Result<Value> {
    let schema: Value = tool.input_schema.parse()?;
    let properties = schema["properties"].as_object().into_iter().flatten();
    let values = properties.map(|(name, property)| {
        let value = match property["type"].as_str() {
            Some("number" | "integer") => json!(2),
            Some("boolean") => json!(true),
            Some("array") => json!([]),
            Some("object") => json!({}),
            _ => json!("text"),
        };
        (name.clone(), value)
    });
    Ok(Value::Object(values.collect()))
}

/// Sends at least one request for each feature of the server.
pub(crate) async fn everything(client: &Client) -> Outcome {
    every_tool(client).await?;
    let resources = client
        .request::<ListResourcesRequest>(Default::default())
        .await?;
    for resource in resources.resources {
        let params = ReadResourceRequestParams::new(resource.uri);
        client.request::<ReadResourceRequest>(params).await?;
    }
    let prompts = client
        .request::<ListPromptsRequest>(Default::default())
        .await?;
    for prompt in prompts.prompts {
        let params = GetPromptRequestParams::new(prompt.name);
        client.request::<GetPromptRequest>(params).await?;
    }
    Ok(())
}

/// Makes the calls that the context of the scenario lists.
pub(crate) async fn from_context(client: &Client) -> Outcome {
    let context = context()?;
    client.list_tools().await?;
    for call in context["toolCalls"].as_array().into_iter().flatten() {
        let name = call["name"].as_str().ok_or("a call without a name")?;
        client.call_tool(name, call["arguments"].clone()).await?;
    }
    Ok(())
}

/// Sends a schema back exactly as the server listed it.
pub(crate) async fn echo_schema(client: &Client) -> Outcome {
    let tools = client.list_tools().await?;
    let tool = tools
        .iter()
        .find(|tool| tool.name == "json_schema_2020_12_tool");
    let schema = &tool.ok_or("the tool is not listed")?.input_schema;
    let schema: Value = schema.parse()?;
    client
        .call_tool("json_schema_echo", json!({"schema": schema}))
        .await?;
    Ok(())
}
