#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[derive(Clone, FromContext)]
#[from_context(identity)]
struct User {
    is_admin: bool,
}

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool(visible = Self::allowed)]
    fn look(&self) {}

    fn allowed(&self, user: &User) -> bool {
        user.is_admin
    }
}

fn main() {}
