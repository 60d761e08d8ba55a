#![allow(unused)]

use mcp_runtime::prelude::*;

use std::rc::Rc;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    async fn look(&self) -> String {
        let shared = Rc::new(5);
        std::future::ready(()).await;
        shared.to_string()
    }
}

fn main() {}
