#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server(requires(sampling, elicitations))]
impl Server {}

fn main() {}
