#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server(list_changed(tool))]
impl Server {}

fn main() {}
