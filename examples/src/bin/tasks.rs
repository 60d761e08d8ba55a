//! Calls that continue after they were answered (`io.modelcontextprotocol/tasks`): server and
//! client.
//!
//! `tasks` serves over standard streams, and `tasks 127.0.0.1:8080` over HTTP. `tasks call` starts
//! a server as a child process, and `tasks call http://127.0.0.1:8080/mcp render '{"scenes": 3}'`
//! connects to one, which may also be another program. Both follow the task of a call, and print
//! each status and the result.

use std::env::args;
use std::io::{Write as _, stdout};
use std::time::Duration;

use mcp_extensions::tasks::{CallTask, Task, Tasks};
use mcp_runtime::Client;
use mcp_runtime::prelude::*;
use mcp_runtime::serde_json::{self, Value, json};
use mcp_runtime::transport::{ChildProcess, http_client};

struct Studio;

#[mcp_server(name = "tasks")]
impl Studio {
    /// Renders a film. A short film is answered without a task.
    #[tool(with(Task::after("250ms").ttl("24h").poll_interval("200ms")))]
    async fn render(&self, scenes: u32, cx: &Context) -> String {
        for scene in 0..scenes {
            cx.progress(scene, scenes, "rendering");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        format!("{scenes} scenes")
    }

    /// Asks the user for the name of a film.
    #[tool(with(Task::now().poll_interval("200ms")))]
    async fn name(&self, cx: &Context) -> Result<String, ToolError> {
        let name: String = cx.elicit("The name of the film?").await?;
        Ok(format!("the film is called {name}"))
    }

    /// Tries to cut a film, and fails.
    #[tool(with(Task::now().poll_interval("200ms")))]
    async fn cut(&self) -> Result<String, ToolError> {
        tokio::time::sleep(Duration::from_millis(100)).await;
        Err(ToolError::new("the scissors are blunt"))
    }
}

#[mcp_runtime::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = args().skip(1).collect();
    let mut server = Studio.into_builder();
    server.extension(Tasks::memory());
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => server.serve(stdio()).await?,
        ["call"] => call(None, "render", json!({"scenes": 8})).await?,
        ["call", url, tool] => call(Some(url), tool, json!({})).await?,
        ["call", url, tool, arguments] => {
            call(Some(url), tool, serde_json::from_str(arguments)?).await?;
        }
        [address] => server.serve(http(address)).await?,
        _ => return Err("tasks, tasks ADDRESS, or tasks call [URL TOOL [ARGUMENTS]]".into()),
    }
    Ok(())
}

/// Calls a tool of the server at the URL, or of a new child process if there is no URL.
async fn call(
    url: Option<&str>,
    tool: &str,
    arguments: Value,
) -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::builder("example", "1.0.0")
        .extension(Tasks::client())
        .on_form(|form| async move {
            let fields = form.schema().properties.keys().cloned();
            let answers = fields.map(|field| (field, json!("Metropolis")));
            form.accept(answers.collect::<serde_json::Map<_, _>>())
        });
    let client = match url {
        Some(url) => client.connect(http_client(url)).await?,
        None => {
            let this = ChildProcess::new(std::env::current_exe()?);
            client.connect(this).await?
        }
    };
    let mut task = client.call::<String>(tool, arguments).task().await?;
    while let Some(status) = task.next().await? {
        let message = status.message.unwrap_or_default();
        writeln!(stdout(), "{:?} {message}", status.state)?;
    }
    let result = task.result().await;
    client.close().await;
    writeln!(stdout(), "{}", result?)?;
    Ok(())
}
