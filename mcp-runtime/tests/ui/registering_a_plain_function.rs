#![allow(unused)]

use mcp_runtime::prelude::*;

use mcp_runtime::Server;

fn look() {}

fn main() {
    Server::builder().tool(look);
}
