//! The measured server, on rust-mcp-sdk.

mod http;
mod tools;

use std::error::Error;

use bench_common::Options;
use rust_mcp_sdk::mcp_server::{McpServerOptions, ToMcpServerHandler as _, server_runtime};
use rust_mcp_sdk::schema::{Implementation, ServerCapabilities, ServerCapabilitiesTools};
use rust_mcp_sdk::{McpServer as _, ServerDetails, StdioTransport, TransportOptions};

use tools::Bench;

fn details() -> ServerDetails {
    ServerDetails {
        server_info: Implementation {
            name: "bench-server".to_owned(),
            version: "0.0.0".to_owned(),
            title: None,
            description: None,
            icons: Vec::new(),
            website_url: None,
        },
        capabilities: ServerCapabilities {
            tools: Some(ServerCapabilitiesTools { list_changed: None }),
            ..ServerCapabilities::default()
        },
        instructions: None,
        meta: None,
    }
}

async fn serve(options: Options) -> Result<(), Box<dyn Error>> {
    let handler = Bench::new(options.tools);
    let Some(address) = options.http else {
        let server = server_runtime::create_server(McpServerOptions {
            server_details: details(),
            transport: StdioTransport::new(TransportOptions::default())?,
            handler: handler.to_mcp_server_handler(),
            message_observer: None,
        });
        return Ok(server.start().await?);
    };
    let state = http::state(details(), handler.to_mcp_server_handler(), options.fast);
    Ok(http::serve(address, state).await?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::of_process();
    let runtime = if options.fast {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
    } else {
        tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
    };
    runtime?.block_on(serve(options))
}
