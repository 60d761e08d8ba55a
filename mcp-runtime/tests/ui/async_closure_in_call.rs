#![allow(unused)]

use mcp_runtime::Server;
use mcp_runtime::server::tools::ToolBuilder;

fn main() {
    let look = ToolBuilder::new("look").call(async |(), _| "nothing");
}
