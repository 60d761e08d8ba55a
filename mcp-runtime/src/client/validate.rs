//! Structured output, held against the schema that the tool declares.

use std::fmt;
use std::future::IntoFuture;

use jsonschema::Validator;
use mcp_types::{CallToolRequest, CallToolResult, RawJson, methods};
use serde_json::Value;

use super::{Call, Client};
use crate::driver::BoxFuture;
use crate::error::CallError;

impl Call<CallToolRequest> {
    /// Validates what the tool returns against its output schema (2025-06-18 and later, "Tools",
    /// section Output Schema). The schema is the one that was last listed; where the tool was not
    /// listed yet, tools are listed first. Schemas never refer to the network.
    ///
    /// A tool without an output schema, and an error of the tool, need no structured output.
    ///
    /// ```no_run
    /// # async fn example(client: mcp_runtime::Client) -> Result<(), mcp_runtime::CallError> {
    /// let found = client.call_tool("find", serde_json::json!({"name": "x"})).validated().await?;
    /// # drop(found);
    /// # Ok(())
    /// # }
    /// ```
    pub fn validated(self) -> ValidatedCall {
        ValidatedCall { call: self }
    }
}

/// A call of a tool whose result is validated; await it to send it.
#[must_use = "nothing is sent until this is awaited"]
pub struct ValidatedCall {
    call: Call<CallToolRequest>,
}

impl IntoFuture for ValidatedCall {
    /// [`CallError::Result`] when the result does not fit, naming the place.
    type Output = Result<CallToolResult, CallError>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let schema = match &self.call.params {
                Ok(params) => output_schema(&self.call.client, &params.name).await?,
                // The call itself reports what is wrong.
                Err(_) => None,
            };
            let result = self.call.await?;
            if let Some(schema) = schema {
                check(&schema, &result).map_err(|reason| CallError::Result {
                    method: methods::TOOLS_CALL.to_owned(),
                    reason,
                })?;
            }
            Ok(result)
        })
    }
}

impl fmt::Debug for ValidatedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.call.fmt(f)
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

/// What is wrong with a result, if anything.
fn check(schema: &RawJson, result: &CallToolResult) -> Result<(), String> {
    if result.is_error == Some(true) {
        return Ok(());
    }
    let structured = result.structured_content.as_ref();
    let structured = structured.ok_or("there is no structured content, but an output schema")?;
    let unreadable = |fault: serde_json::Error| fault.to_string();
    let structured: Value = structured.parse().map_err(unreadable)?;
    let schema: Value = schema.parse().map_err(unreadable)?;
    let validator = validator(&schema)?;
    match validator.iter_errors(&structured).next() {
        None => Ok(()),
        Some(fault) => Err(format!(
            "structured content at \"{}\": {fault}",
            fault.instance_path()
        )),
    }
}

fn validator(schema: &Value) -> Result<Validator, String> {
    jsonschema::validator_for(schema)
        .map_err(|fault| format!("the output schema can't be used: {fault}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn checked(schema: Value, result: Value) -> Result<(), String> {
        let result: CallToolResult = serde_json::from_value(result).unwrap();
        check(&RawJson::from(schema), &result)
    }

    fn number() -> Value {
        json!({"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]})
    }

    #[test]
    fn what_fits_passes_and_what_does_not_is_named() {
        let fits = json!({"content": [], "structuredContent": {"n": 1}});
        assert_eq!(checked(number(), fits), Ok(()));
        let misfit = json!({"content": [], "structuredContent": {"n": "one"}});
        let reason = checked(number(), misfit).unwrap_err();
        assert!(
            reason.contains("\"/n\"") && reason.contains("number"),
            "{reason}"
        );
        assert!(checked(number(), json!({"content": []})).is_err());
    }

    #[test]
    fn an_error_needs_no_structure() {
        let failed = json!({"content": [], "isError": true});
        assert_eq!(checked(number(), failed), Ok(()));
    }

    #[test]
    fn schemas_do_not_reach_into_the_network() {
        let remote = json!({"$ref": "https://example.org/schema.json"});
        let result = json!({"content": [], "structuredContent": {}});
        let reason = checked(remote, result).unwrap_err();
        assert!(reason.contains("can't be used"), "{reason}");
    }
}
