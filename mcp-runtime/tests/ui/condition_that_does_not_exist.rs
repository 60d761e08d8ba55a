#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Writes a file.
    #[tool]
    fn write(
        &self,
        name: String,
        #[elicit("Overwrite {name}?", when = Self::large)] overwrite: Option<bool>,
    ) {
    }
}

fn main() {}
