#![allow(unused)]

use mcp_runtime::Server;
use mcp_runtime::resources::FileTree;

fn serve() {
    let mut server = Server::builder();
    server.resource(FileTree::new("docs"));
}

fn main() {}
