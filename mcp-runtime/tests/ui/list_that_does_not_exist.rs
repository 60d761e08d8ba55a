#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server(dynamic(tool))]
impl Server {}

fn main() {}
