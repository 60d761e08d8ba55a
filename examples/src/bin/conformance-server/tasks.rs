//! Tools for the scenarios about tasks. The suite expects each to become a task in a certain way.

use std::time::Duration;

use mcp_extensions::tasks::{Defer, Task};
use mcp_runtime::prelude::*;

pub(crate) struct Jobs;

#[derive(Deserialize, JsonSchema, Elicit)]
struct Confirmed {
    confirm: bool,
}

#[derive(Deserialize, JsonSchema, Elicit)]
struct Named {
    name: String,
}

/// Tools whose calls become tasks.
#[mcp_server(name = "conformance-server")]
impl Jobs {
    /// Greets a person, without a task.
    #[tool]
    fn greet(&self, name: String) -> String {
        format!("Hello, {name}!")
    }

    /// Computes for a number of seconds.
    #[tool(with(Task::now()))]
    async fn slow_compute(&self, seconds: f64, label: Option<String>) -> String {
        let seconds = seconds.clamp(0.0, 60.0);
        tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
        let label = label.unwrap_or_else(|| "the work".to_owned());
        format!("{label} took {seconds} s")
    }

    /// Fails with a tool error after a second. The call must be a task.
    #[tool(with(Task::required()))]
    async fn failing_job(&self) -> Result<String, ToolError> {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Err(ToolError::new("the job has failed"))
    }

    /// Fails with a protocol error.
    #[tool(with(Task::now()))]
    async fn protocol_error_job(&self) -> Result<String, ProtocolError> {
        tokio::time::sleep(Duration::from_millis(100)).await;
        Err(ProtocolError::new(-32603, "the job has failed"))
    }

    /// Asks for confirmation, and deletes a file.
    #[tool(with(Task::now()))]
    async fn confirm_delete(&self, filename: String, cx: &Context) -> Result<String, AskError> {
        let question = format!("Delete {filename}?");
        let answer: Confirmed = cx.elicit(question).key("confirm").await?;
        Ok(if answer.confirm {
            format!("{filename} was deleted")
        } else {
            format!("{filename} was kept")
        })
    }

    /// Asks two questions at the same time.
    #[tool(with(Task::now()))]
    async fn multi_input(&self, cx: &Context) -> Result<String, AskError> {
        let first = cx.elicit::<Named>("Your name?").key("first");
        let second = cx.elicit::<Named>("The name of your dog?").key("second");
        let (person, dog) = cx.ask_all((first, second)).await?;
        Ok(format!("{} and {}", person.name, dog.name))
    }

    /// Asks a question first, and then continues as a task.
    #[tool(with(Task::deferred()))]
    async fn test_tool_with_task(&self, cx: &Context) -> Result<String, ToolError> {
        let user: Named = cx.elicit("What is your name?").key("user_name").await?;
        cx.defer().await?;
        tokio::time::sleep(Duration::from_millis(100)).await;
        Ok(format!("Hello, {}!", user.name))
    }
}
