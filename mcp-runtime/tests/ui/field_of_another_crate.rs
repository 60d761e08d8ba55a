#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(JsonSchema)]
struct Reply {
    at: std::time::Instant,
}

fn main() {}
