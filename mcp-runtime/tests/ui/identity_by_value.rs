#![allow(unused)]

use mcp_runtime::prelude::*;

#[derive(Clone, FromContext)]
#[from_context(identity)]
struct User {
    name: String,
}

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self, user: User) {}
}

fn main() {}
