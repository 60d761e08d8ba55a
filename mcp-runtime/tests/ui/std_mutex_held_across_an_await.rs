#![allow(unused)]

use mcp_runtime::prelude::*;

struct Server;

#[mcp_server]
impl Server {
    /// Looks around.
    #[tool]
    async fn look(&self) -> u8 {
        let guard = std::sync::Mutex::new(5);
        let guard = guard.lock().unwrap();
        std::future::ready(()).await;
        *guard
    }
}

fn main() {}
