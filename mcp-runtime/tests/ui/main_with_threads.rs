#![allow(unused)]

use mcp_runtime::prelude::*;

#[mcp_runtime::main(threads = 4)]
async fn main() {}
