#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool(name = "look_look_look_look_look_look_look_look_look_look_look_look_look_look_look_look_look_look_look_look_look_look_look_look_look_look_")]
    fn look(&self) {}
}

fn main() {}
