#![allow(unused)]

use mcp_runtime::prelude::*;

#[mcp_server]
struct Server;

fn main() {}
