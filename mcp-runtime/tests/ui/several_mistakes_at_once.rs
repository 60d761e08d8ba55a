#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks.
    #[tool(readonly)]
    fn look(&mut self, at: &str) {}

    /// Looks.
    #[tool]
    fn fine(&self) {}

    /// Looks.
    #[tool]
    fn find<T>(&self) -> T {
        unimplemented!()
    }
}

fn main() {
    // The server and its functions are there all the same.
    let mut server = Server;
    server.look("there");
    server.into_server();
}
