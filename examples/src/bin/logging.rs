//! A server that sends log messages to its clients, at the level that each client has set.

#![expect(deprecated, reason = "shows a deprecated part of the protocol")]

use std::sync::Arc;

use mcp_runtime::Server;
use mcp_runtime::prelude::*;
use mcp_runtime::types::LoggingLevel;
use serde_json::json;

struct Stock;

#[mcp_server(name = "logging")]
impl Stock {
    /// Takes something out of the stock.
    #[tool]
    fn take(&self, item: String, left: u32, cx: &Context) -> String {
        cx.log(LoggingLevel::Debug, format!("someone wants {item}"));
        let stock = cx.logger("stock");
        if left == 0 {
            stock.error(json!({"item": item, "left": left}));
            return "nothing".to_owned();
        }
        stock.info(json!({"item": item, "left": left - 1}));
        item
    }
}

#[mcp_runtime::main]
async fn main() -> Result<(), ServeError> {
    let mut server = Server::builder();
    Arc::new(Stock).register(&mut server);
    server.logging();
    server.build().serve(stdio()).await
}
