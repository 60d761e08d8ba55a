#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool(readonly)]
    fn look(&mut self, at: &str) {}

    /// Looks around.
    #[tool]
    fn fine(&self) {}

    /// Looks around.
    #[tool]
    fn find<T>(&self) -> T {
        unimplemented!()
    }
}

fn main() {
    // The server and its functions exist despite the mistakes.
    let mut server = Server;
    server.look("there");
    server.into_server();
}
