//! The measured server, on pmcp.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bench_common::{ExtraTool, Options, extra_tools};
use pmcp::server::streamable_http_server::{StreamableHttpServer, StreamableHttpServerConfig};
use pmcp::types::{ProtocolVersion, ToolInfo};
use pmcp::{RequestHandlerExtra, Server, ServerCapabilities, ToolHandler};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Mutex;

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Wait {
    ms: u64,
}

struct Extra(ExtraTool);

#[async_trait]
impl ToolHandler for Extra {
    async fn handle(&self, _: Value, _: RequestHandlerExtra) -> pmcp::Result<Value> {
        Ok("nothing found".into())
    }

    fn metadata(&self) -> Option<ToolInfo> {
        let ExtraTool {
            name,
            description,
            schema,
        } = self.0.clone();
        Some(ToolInfo::new(
            name,
            Some(description),
            Value::Object(schema),
        ))
    }
}

fn server(tools: usize) -> pmcp::Result<Server> {
    let revisions = ["2025-06-18", "2025-11-25", "2026-07-28"];
    let mut server = Server::builder()
        .name("bench-server")
        .version("0.0.0")
        .capabilities(ServerCapabilities::tools_only())
        .with_supported_protocol_versions(revisions.map(|it| ProtocolVersion(it.to_owned())))
        .tool_typed_sync("add", |Add { a, b }: Add, _| Ok((a + b).to_string().into()))
        .tool_typed_sync("echo", |Echo { text }: Echo, _| Ok(text.into()))
        .tool_typed("wait", |Wait { ms }: Wait, _| async move {
            tokio::time::sleep(Duration::from_millis(ms)).await;
            Ok(ms.to_string().into())
        });
    for extra in extra_tools(tools) {
        server = server.tool(extra.name.clone(), Extra(extra));
    }
    server.build()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::of_process();
    let server = server(options.tools)?;
    let Some(address) = options.http else {
        return Ok(server.run_stdio().await?);
    };
    let config = if options.fast {
        StreamableHttpServerConfig::stateless()
    } else {
        StreamableHttpServerConfig::default()
    };
    let http = StreamableHttpServer::with_config(address, Arc::new(Mutex::new(server)), config);
    let (_, serving) = http.start().await?;
    Ok(serving.await?)
}
