#![allow(unused)]

use std::process::Command;

use mcp_runtime::prelude::*;
use mcp_runtime::{CallError, Client, ConnectError};
use serde_json::json;

async fn connect() -> Result<(), ConnectError> {
    Client::builder("app", "1").connect(Command::new("npx")).await?;
    Ok(())
}

fn main() {}
