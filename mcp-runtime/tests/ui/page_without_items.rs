#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server(page_size = 0)]
impl Server {}

fn main() {}
