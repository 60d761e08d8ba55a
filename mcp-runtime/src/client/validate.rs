//! Validation of structured output against the schema that the tool declares.

use mcp_types::{CallToolRequest, CallToolResult, RawJson, methods};

use super::{Call, Client};
use crate::connection::BoxFuture;
use crate::error::CallError;
use crate::output_schema::check;

impl Call<CallToolRequest> {
    /// Validates the output of the tool against its schema (2025-06-18 and later, "Tools",
    /// section Output Schema). The schema is the one that was last listed; where the tool was not
    /// listed yet, tools are listed first. Schemas are never fetched.
    ///
    /// A tool without an output schema, and an error of the tool, need no structured output. A result
    /// that does not fit is [`CallError::Result`], which names the place.
    ///
    /// ```no_run
    /// # async fn example(client: mcp_runtime::Client) -> Result<(), mcp_runtime::CallError> {
    /// let found = client.call_tool("find", serde_json::json!({"name": "x"})).validated().await?;
    /// # drop(found);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use = "nothing is sent until this is awaited"]
    pub fn validated(self) -> BoxFuture<Result<CallToolResult, CallError>> {
        Box::pin(async move {
            let schema = match &self.params {
                Ok(params) => output_schema(&self.client, &params.name).await?,
                // The call itself reports what is wrong.
                Err(_) => None,
            };
            let result = self.await?;
            if let Some(schema) = schema {
                let checked = check(&schema, &result);
                checked.map_err(|reason| CallError::unfit(methods::TOOLS_CALL, reason))?;
            }
            Ok(result)
        })
    }
}

async fn output_schema(client: &Client, name: &str) -> Result<Option<RawJson>, CallError> {
    let tool = match client.known_tool(name) {
        Some(tool) => Some(tool),
        None => {
            let tools = client.list_tools().await?;
            tools.into_iter().find(|tool| tool.name == name)
        }
    };
    Ok(tool.and_then(|tool| tool.output_schema))
}
