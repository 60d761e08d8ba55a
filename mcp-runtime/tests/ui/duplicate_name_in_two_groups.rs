#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server<T>(T);

#[mcp_server(groups(more))]
impl<T: Send + Sync + 'static> Server<T> {
    /// Looks around.
    #[tool]
    fn look(&self) {}
}

#[mcp_server(group = more)]
impl<T: Send + Sync + 'static> Server<T> {
    /// Looks around.
    #[tool(name = "look")]
    fn watch(&self) {}
}

fn main() {}
