use mcp_runtime::prelude::*;

struct Server;

#[mcp_server(undocumented = "deny")]
impl Server {
    #[tool]
    fn look(&self) {}
}

fn main() {}
