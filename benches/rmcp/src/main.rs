//! The measured server, on rmcp.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::serve::ListenerExt as _;
use bench_common::{Options, extra_tools};
use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock, ServerCapabilities, ServerConfig, Tool};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt as _, schemars, tool, tool_handler, tool_router};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echo {
    text: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Wait {
    ms: u64,
}

/// rmcp clones the server for each session and each stateless request. All clones share the router.
#[derive(Clone)]
struct Bench {
    router: Arc<ToolRouter<Self>>,
}

#[tool_router]
impl Bench {
    fn new(tools: usize) -> Self {
        let mut router = Self::tool_router();
        for extra in extra_tools(tools) {
            let tool = Tool::new(extra.name, extra.description, Arc::new(extra.schema));
            router.add_route(ToolRoute::new_dyn(tool, |_| {
                Box::pin(async {
                    Ok(CallToolResult::success(vec![ContentBlock::text("nothing found")]).into())
                })
            }));
        }
        Self {
            router: Arc::new(router),
        }
    }

    #[tool(description = "Adds two whole numbers.")]
    fn add(&self, Parameters(Add { a, b }): Parameters<Add>) -> String {
        (a + b).to_string()
    }

    #[tool(description = "Says the text again.")]
    fn echo(&self, Parameters(Echo { text }): Parameters<Echo>) -> String {
        text
    }

    #[tool(description = "Answers after a while, given in milliseconds.")]
    async fn wait(&self, Parameters(Wait { ms }): Parameters<Wait>) -> String {
        tokio::time::sleep(Duration::from_millis(ms)).await;
        ms.to_string()
    }
}

#[tool_handler(router = self.router)]
impl ServerHandler for Bench {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

async fn http(address: SocketAddr, bench: Bench, fast: bool) -> Result<(), Box<dyn Error>> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(!fast)
        .with_json_response(fast);
    let service: StreamableHttpService<Bench, LocalSessionManager> =
        StreamableHttpService::new(move || Ok(bench.clone()), Arc::default(), config);
    let router = axum::Router::new().nest_service("/mcp", service);
    // Without `TCP_NODELAY`, each answer waits until the client has acknowledged the previous
    // answer.
    let listener = tokio::net::TcpListener::bind(address)
        .await?
        .tap_io(|stream| stream.set_nodelay(true).unwrap_or_default());
    Ok(axum::serve(listener, router).await?)
}

async fn serve(options: Options) -> Result<(), Box<dyn Error>> {
    let bench = Bench::new(options.tools);
    match options.http {
        Some(address) => http(address, bench, options.fast).await?,
        None if options.fast => {
            bench
                .serve(rmcp::transport::io::stdio_pipes())
                .await?
                .waiting()
                .await?;
        }
        None => {
            bench
                .serve(rmcp::transport::io::stdio())
                .await?
                .waiting()
                .await?;
        }
    }
    Ok(())
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
