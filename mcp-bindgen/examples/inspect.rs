//! Prints the snapshot of a server over stdio: `cargo run --example inspect -- PROGRAM ARGUMENT…`.

use std::error::Error;
use std::io::Write;

use mcp_bindgen::Snapshot;
use mcp_runtime::Client;
use mcp_runtime::transport::ChildProcess;
use serde_json::json;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let program = arguments.next().ok_or("usage: inspect PROGRAM ARGUMENT…")?;
    let server = ChildProcess::new(program).args(arguments).inherit_env();
    let client = Client::builder("mcp-bindgen", env!("CARGO_PKG_VERSION"));
    let client = client.connect(server).await?;
    let capabilities = client.server_capabilities();
    let server = client.server_info();
    let server =
        server.map(|it| json!({"name": it.name, "version": it.version, "title": it.title}));
    let mut tools = Vec::new();
    let mut prompts = Vec::new();
    let (mut resources, mut templates) = (Vec::new(), Vec::new());
    if capabilities.tools.is_some() {
        tools = client.list_tools().await?;
    }
    if capabilities.prompts.is_some() {
        prompts = client.list_prompts().await?;
    }
    if capabilities.resources.is_some() {
        resources = client.list_resources().await.unwrap_or_default();
        templates = client.list_resource_templates().await.unwrap_or_default();
    }
    #[derive(serde::Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Listing<'a> {
        server: serde_json::Value,
        revision: String,
        capabilities: &'a mcp_runtime::types::ServerCapabilities,
        #[serde(skip_serializing_if = "Option::is_none")]
        instructions: Option<String>,
        tools: &'a [mcp_runtime::types::Tool],
        prompts: &'a [mcp_runtime::types::Prompt],
        resources: &'a [mcp_runtime::types::Resource],
        resource_templates: &'a [mcp_runtime::types::ResourceTemplate],
    }
    let listing = Listing {
        server: server.unwrap_or_default(),
        revision: client.revision().to_string(),
        capabilities: &capabilities,
        instructions: client.instructions(),
        tools: &tools,
        prompts: &prompts,
        resources: &resources,
        resource_templates: &templates,
    };
    let snapshot = Snapshot::parse(&serde_json::to_vec(&listing)?)?;
    std::io::stdout().write_all(snapshot.to_string().as_bytes())?;
    client.close().await;
    Ok(())
}
