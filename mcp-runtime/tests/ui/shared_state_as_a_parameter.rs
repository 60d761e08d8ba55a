#![allow(unused)]

use mcp_runtime::prelude::*;

use std::sync::Arc;

struct Db;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    fn look(&self, db: Arc<Db>) {}
}

fn main() {}
