//! A custom transport: a client and a server that send each message through a channel.
//!
//! `cargo run --bin custom_transport`

mod channel;

use channel::Channel;
use mcp_runtime::prelude::*;
use mcp_runtime::{CallError, Client};
use serde_json::json;
use tokio::sync::mpsc;

struct Calculator;

#[mcp_server(name = "custom_transport")]
impl Calculator {
    /// Adds two whole numbers.
    #[tool]
    fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
}

#[mcp_runtime::main]
#[allow(clippy::print_stdout, reason = "this program is not a server on stdio")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (to_server, from_client) = mpsc::channel(16);
    let (to_client, from_server) = mpsc::channel(16);
    let serving = Calculator.serve(Channel(from_client, to_client));
    let calling = async {
        let client = Client::builder("custom_transport", "1.0.0");
        let client = client.connect(Channel(from_server, to_server)).await?;
        let sum: Result<i64, CallError> = client.call("add", json!({"a": 2, "b": 3})).await;
        println!("2 + 3 = {} in {}", sum?, client.revision());
        client.close().await;
        Ok::<_, Box<dyn std::error::Error>>(())
    };
    let (served, called) = tokio::join!(serving.into_future(), calling);
    served?;
    called
}
