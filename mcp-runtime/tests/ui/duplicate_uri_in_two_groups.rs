#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server<T>(T);

#[mcp_server(groups(more))]
impl<T: Send + Sync + 'static> Server<T> {
    /// Looks around.
    #[resource("book://{isbn}")]
    fn look(&self, isbn: u64) -> String { String::new() }
}

#[mcp_server(group = more)]
impl<T: Send + Sync + 'static> Server<T> {
    /// Looks around.
    #[resource("book://{isbn}")]
    fn watch(&self, isbn: u64) -> String { String::new() }
}

fn main() {}
