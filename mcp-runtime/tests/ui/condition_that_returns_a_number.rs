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
        #[elicit("Overwrite {name}?", when = Self::exists)] overwrite: Option<bool>,
    ) {
    }

    fn exists(&self, name: &str) -> u32 {
        3
    }
}

fn main() {}
