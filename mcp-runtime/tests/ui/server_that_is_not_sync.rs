#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server(std::cell::RefCell<u32>);

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self) {}
}

fn main() {}
