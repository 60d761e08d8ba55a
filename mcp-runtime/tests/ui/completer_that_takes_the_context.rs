#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Reviews a book.
    #[prompt]
    fn review(&self, #[arg(complete = Self::titles)] title: String) -> String {
        title
    }

    fn titles(&self, request: &CompletionRequest, cx: &Context) -> Vec<String> {
        Vec::new()
    }
}

fn main() {}
