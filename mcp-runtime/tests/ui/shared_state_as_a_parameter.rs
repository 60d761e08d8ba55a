#![allow(unused)]

use mcp_runtime::prelude::*;

use std::sync::Arc;

struct Db;

struct Server;

#[mcp_server]
impl Server {
    /// Looks.
    #[tool]
    fn look(&self, db: Arc<Db>) {}
}

fn main() {}
