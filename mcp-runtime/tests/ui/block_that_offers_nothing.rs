#![allow(unused)]
#![deny(deprecated)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks.
    fn look(&self) {}
}

fn main() {}
