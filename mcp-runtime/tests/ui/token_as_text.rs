#![allow(unused)]

use mcp_runtime::transport::http_client;

use mcp_runtime::prelude::*;
use mcp_runtime::{CallError, Client, ConnectError};
use serde_json::json;

async fn connect() -> Result<(), ConnectError> {
    let server = http_client("http://127.0.0.1:3000/mcp").auth("secret");
    Client::builder("app", "1").connect(server).await?;
    Ok(())
}

fn main() {}
