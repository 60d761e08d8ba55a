//! A server that adds and removes tools while it runs, and notifies its clients.

use mcp_runtime::Server;
use mcp_runtime::prelude::*;
use mcp_runtime::server::tools::{ToolBuilder, argument};
use mcp_runtime::server::{FixedListError, List};

struct School;

#[mcp_server(name = "dynamic")]
impl School {
    /// Adds a tool that answers a question.
    #[tool]
    fn learn(
        &self,
        /// The name of the new tool.
        name: String,
        /// The answer of the new tool.
        answer: String,
        server: &Server,
    ) -> Result<String, FixedListError> {
        let learnt = format!("`{name}` can be called now");
        let tool = ToolBuilder::new(name)
            .description("Answers what it has learnt.")
            .arguments((argument::<Option<String>>("to"),))
            .call(move |(to,), _| match to {
                Some(to) => format!("{to}: {answer}"),
                None => answer.clone(),
            });
        server.edit().add_tool(tool).apply()?;
        Ok(learnt)
    }

    /// Removes a tool that was added.
    #[tool]
    fn forget(&self, name: String, server: &Server) -> Result<(), FixedListError> {
        server.edit().remove_tool(name).apply()
    }
}

#[mcp_runtime::main]
async fn main() -> Result<(), ServeError> {
    let mut server = School.into_builder();
    server.list_changed([List::Tools]);
    server.build().serve(stdio()).await
}
