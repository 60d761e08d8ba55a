#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Introduces a city.
    #[prompt]
    fn city(&self, #[arg(complete = cities)] name: String) -> String {
        name
    }

    fn cities(&self, _: &CompletionRequest) -> Vec<String> {
        Vec::new()
    }
}

fn main() {}
