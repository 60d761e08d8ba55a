#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

impl Server {
    fn look(&self) {}
}

async fn serve() -> Result<(), ServeError> {
    Server.serve(stdio()).await
}

fn main() {}
