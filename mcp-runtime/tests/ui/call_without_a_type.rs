#![allow(unused)]


use mcp_runtime::prelude::*;
use mcp_runtime::{CallError, Client, ConnectError};
use serde_json::json;

async fn add(client: &Client) -> Result<(), CallError> {
    let sum = client.call("add", json!({"a": 1, "b": 2})).await?;
    println!("done");
    Ok(())
}

fn main() {}
