#![allow(unused)]

#[mcp_runtime::main]
fn main() {}
