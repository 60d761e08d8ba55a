#![allow(unused)]

#[mcp_runtime::main]
async fn main(arguments: Vec<String>) {}
