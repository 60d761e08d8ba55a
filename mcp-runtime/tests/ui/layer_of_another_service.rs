#![allow(unused)]

use mcp_runtime::Server;
use mcp_runtime::layer::Next;
use tower_layer::Layer;

struct Nothing;

#[derive(Clone)]
struct NoService;

impl Layer<Next> for Nothing {
    type Service = NoService;

    fn layer(&self, _: Next) -> NoService {
        NoService
    }
}

fn serve() {
    let mut server = Server::builder();
    server.layer(Nothing);
}

fn main() {}
