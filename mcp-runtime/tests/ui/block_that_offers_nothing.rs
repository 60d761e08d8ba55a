#![allow(unused)]
#![deny(deprecated)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    fn look(&self) {}
}

fn main() {}
