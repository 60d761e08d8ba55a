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
        #[elicit("Overwrite {name}?", if = Self::exists)] overwrite: Option<bool>,
    ) {
    }

    fn exists(&self, name: &str) -> bool {
        name == "a"
    }
}

fn main() {}
