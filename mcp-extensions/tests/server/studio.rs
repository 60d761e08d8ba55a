//! A server with tools whose calls become tasks.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_extensions::tasks::{CreatedTask, Defer, Task, TaskLimits, Tasks};
use mcp_runtime::prelude::*;
use mcp_runtime::server::CancellationToken;
use mcp_runtime::{ProtocolError, Server};

/// A server that records what its functions have done.
#[derive(Clone, Default)]
pub struct Studio {
    pub done: Arc<Mutex<Vec<String>>>,
    pub token: Arc<Mutex<Option<CancellationToken>>>,
}

impl Studio {
    fn note(&self, what: &str) {
        self.done.lock().unwrap().push(what.to_owned());
    }

    pub fn noted(&self) -> Vec<String> {
        self.done.lock().unwrap().clone()
    }

    /// Creates a server, and returns it with its tasks.
    pub fn server(&self) -> (Server, Tasks) {
        self.limited(TaskLimits::new())
    }

    pub fn limited(&self, limits: TaskLimits) -> (Server, Tasks) {
        let tasks = Tasks::memory().limits(limits);
        let mut server = self.clone().into_builder();
        server.extension(tasks.clone());
        (server.build(), tasks)
    }
}

/// Records an effect that is repeated in each round, without the compiler's warning about such
/// effects.
fn note(studio: &Studio, what: &str) {
    studio.note(what);
}

struct OnDrop(Studio);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.note("dropped");
    }
}

#[mcp_server(undocumented = "allow")]
impl Studio {
    #[tool(with(Task::after("250ms").ttl("24h").poll_interval("2s")))]
    async fn render(&self, seconds: u64, cx: &Context) -> String {
        let _dropped = OnDrop(self.clone());
        *self.token.lock().unwrap() = Some(cx.cancellation().clone());
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        self.note("rendered");
        format!("{seconds} s")
    }

    #[tool(with(Task::now()))]
    async fn report(&self, steps: u64, cx: &Context) -> String {
        for step in 0..steps {
            cx.progress(step, steps, "reading");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        "read".to_owned()
    }

    #[tool(with(Task::required()))]
    async fn fails(&self) -> Result<(), ToolError> {
        self.note("entered");
        tokio::time::sleep(Duration::from_secs(1)).await;
        Err(ToolError::new("no film"))
    }

    #[tool(with(Task::now()))]
    async fn refuses(&self) -> Result<(), ProtocolError> {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Err(ProtocolError::new(-32050, "refused"))
    }

    #[tool(with(Task::now()))]
    async fn panics(&self) {
        tokio::time::sleep(Duration::from_secs(1)).await;
        panic!("of the function");
    }

    #[tool(with(Task::now()), timeout = "2s")]
    async fn ask(&self, cx: &Context) -> Result<String, ToolError> {
        let (name, age) = cx
            .ask_all((
                cx.elicit::<String>("Your name?").key("name"),
                cx.elicit::<u32>("Your age?").key("age"),
            ))
            .await?;
        let again: String = cx.elicit("Your name?").key("name").await?;
        Ok(format!("{name}, {age}, {again}"))
    }

    #[tool(with(Task::now()))]
    async fn confirm(&self, #[elicit("Really?")] really: bool) -> String {
        self.note("entered");
        tokio::time::sleep(Duration::from_secs(1)).await;
        really.to_string()
    }

    #[tool(with(Task::deferred()))]
    async fn clean(&self, cx: &Context) -> Result<String, ToolError> {
        note(self, "before");
        let first: bool = cx.elicit("Delete?").key("first").await?;
        cx.defer().await?;
        note(self, "after");
        cx.defer().await?;
        let second: bool = cx.elicit("Sure?").key("second").await?;
        Ok(format!("{first}, {second}"))
    }

    #[tool(with(Task::deferred().ttl("10s")))]
    async fn order(&self, cx: &Context) -> Result<CreatedTask, ToolError> {
        let tasks = cx.extension::<Tasks>().ok_or(ToolError::new("no tasks"))?;
        Ok(tasks.create(cx).await?)
    }

    #[tool(with(Task::now()))]
    async fn brief(&self) {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }

    #[tool(with(Task::required().ttl("10s")))]
    async fn forever(&self) {
        let _dropped = OnDrop(self.clone());
        std::future::pending::<()>().await;
    }
}
