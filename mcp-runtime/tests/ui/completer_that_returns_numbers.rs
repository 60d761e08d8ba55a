#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    #[prompt]
    fn look(&self, #[arg(complete = Self::places)] at: String) -> String {
        at
    }

    fn places(&self, _: &CompletionRequest) -> u32 {
        5
    }
}

fn main() {}
