//! Limits concurrent calls with layers of tower: two calls run at the same time, and more
//! calls are refused instead of waiting.

use std::time::Duration;

use mcp_runtime::layer::{McpRequest, Next, TooManyRequests, from_fn};
use mcp_runtime::prelude::*;
use tower::limit::ConcurrencyLimitLayer;
use tower::load_shed::LoadShedLayer;
use tower::load_shed::error::Overloaded;

struct Reports;

#[mcp_server(name = "load_shedding", version = env!("CARGO_PKG_VERSION"))]
impl Reports {
    /// Makes a report, which takes a while.
    #[tool]
    async fn report(&self, milliseconds: u64) -> &'static str {
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
        "all is well"
    }
}

#[mcp_runtime::main]
async fn main() -> Result<(), ServeError> {
    let mut server = Reports.into_builder();
    // This layer is the outermost. It tells the client when to retry, instead of an internal error.
    server.layer(from_fn(async |request: McpRequest, next: Next| {
        let outcome = next.run(request).await;
        outcome.map_err(|error| {
            if error.is::<Overloaded>() {
                TooManyRequests::retry_after(Duration::from_secs(1)).into()
            } else {
                error
            }
        })
    }));
    // Refuses a call while the layers below are busy.
    server.layer(LoadShedLayer::new());
    server.layer(ConcurrencyLimitLayer::new(2));
    server.serve(stdio()).await
}
