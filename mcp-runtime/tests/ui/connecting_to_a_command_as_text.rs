#![allow(unused)]


use mcp_runtime::prelude::*;
use mcp_runtime::{CallError, Client, ConnectError};
use serde_json::json;

async fn connect() -> Result<(), ConnectError> {
    Client::builder("app", "1").connect(String::from("npx server")).await?;
    Ok(())
}

fn main() {}
