#![allow(unused)]


use mcp_runtime::prelude::*;
use mcp_runtime::{CallError, Client, ConnectError};
use serde_json::json;

async fn connect() -> Result<(), ConnectError> {
    Client::builder("app", "1").connect("http://127.0.0.1:3000/mcp").await?;
    Ok(())
}

fn main() {}
