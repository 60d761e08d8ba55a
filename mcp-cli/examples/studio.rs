//! A server whose calls become tasks. Given an address such as `127.0.0.1:0`, it serves HTTP and
//! prints its URL.

use mcp_extensions::tasks::{Task, Tasks};
use mcp_runtime::prelude::*;

struct Studio;

#[mcp_server(name = "studio")]
impl Studio {
    /// Renders a film, scene by scene.
    #[tool(with(Task::required().poll_interval("100ms")))]
    async fn render(&self, scenes: u32, cx: &Context) -> String {
        for scene in 1..=scenes {
            cx.progress(scene, scenes, "rendering");
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        }
        format!("{scenes} scenes")
    }

    /// Names a film as the user wishes.
    #[tool(with(Task::now().poll_interval("100ms")))]
    async fn name(&self, cx: &Context) -> Result<String, ToolError> {
        let name: String = cx.elicit("The name of the film?").await?;
        Ok(format!("the film is called {name}"))
    }

    /// Says how long a film is.
    #[tool]
    fn length(&self) -> String {
        "90 minutes".to_owned()
    }
}

#[mcp_runtime::main]
#[allow(clippy::print_stdout, reason = "it prints before it serves")]
async fn main() -> Result<(), ServeError> {
    let mut server = Studio.into_builder();
    server.extension(Tasks::memory());
    match std::env::args().nth(1) {
        Some(address) => {
            server.on_listening(|url| println!("{url}"));
            server.build().serve(http(address)).await
        }
        None => server.build().serve(stdio()).await,
    }
}
