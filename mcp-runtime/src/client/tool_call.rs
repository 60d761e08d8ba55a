//! Calls of tools: their arguments, and what their output is read as.

use mcp_types::{CallToolRequest, CallToolRequestParams, RawJson};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde::ser::Error as _;

use super::Call;
#[cfg(feature = "validation")]
use super::Client;
use super::result::{perhaps_wrapped, succeeded, whole};
use crate::error::CallError;

/// A call of a tool whose output is decoded; await it to send it.
///
/// It fails with [`CallError::Tool`] when the tool reports an error.
pub type TypedCall<Out> = Call<CallToolRequest, Out>;

/// A type that the output of a tool is read as: anything with `Deserialize`.
#[diagnostic::on_unimplemented(
    message = "the output of a tool cannot be read as `{Self}`",
    label = "what it is read as is not known, or has no `Deserialize`",
    note = "write `let sum: i64 = …`, or `client.call::<i64>(…)`; a type of your own needs `#[derive(Deserialize)]`",
    note = "`client.call_tool(…)` returns the result as it is"
)]
pub trait CallOutput: DeserializeOwned {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned> CallOutput for T {}

impl<Out: CallOutput> TypedCall<Out> {
    /// Sets whether the value may be the member `result` of an object around it, as revisions before
    /// 2026-07-28 have it for values that are no objects. With `true`, structured content whose only
    /// member is `result` is such an object; with `false`, none is. Tools are not listed for it.
    ///
    /// For callers that know the output schema, such as generated bindings.
    pub fn wrapped(self, wrapped: bool) -> Self {
        self.converted_by(if wrapped { perhaps_wrapped } else { whole })
    }
}

impl Call<CallToolRequest> {
    /// Fails with [`CallError::Tool`] when the tool reports an error, instead of returning the result
    /// that has it.
    pub fn error_for_failure(self) -> Self {
        self.converted_by(succeeded)
    }

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
    #[cfg(feature = "validation")]
    #[must_use = "nothing is sent until this is awaited"]
    pub fn validated(
        self,
    ) -> crate::connection::BoxFuture<Result<mcp_types::CallToolResult, CallError>> {
        Box::pin(async move {
            let schema = match &self.params {
                Ok(params) => output_schema(&self.client, &params.name).await?,
                // The call itself reports what is wrong.
                Err(_) => None,
            };
            let result = self.await?;
            if let Some(schema) = schema {
                let checked = crate::output_schema::check(&schema, &result);
                checked
                    .map_err(|reason| CallError::unfit(mcp_types::methods::TOOLS_CALL, reason))?;
            }
            Ok(result)
        })
    }
}

/// The output schema that a tool was listed with; tools are listed if the tool was not yet.
#[cfg(feature = "validation")]
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

/// The parameters of a call of a tool.
///
/// # Errors
///
/// When the arguments are neither an object nor nothing.
pub(super) fn tool_params(
    name: &str,
    arguments: &impl Serialize,
) -> Result<CallToolRequestParams, serde_json::Error> {
    let arguments = RawJson::new(arguments)?;
    let params = CallToolRequestParams::new(name);
    match not_an_object(&arguments) {
        None => Ok(params.with_arguments(arguments)),
        Some("null") => Ok(params),
        Some(kind) => Err(serde_json::Error::custom(format_args!(
            "the arguments of a tool are a JSON object, not {kind}"
        ))),
    }
}

/// The kind of a JSON value that is not an object, with its article.
fn not_an_object(json: &RawJson) -> Option<&'static str> {
    Some(match json.get().as_bytes().first()? {
        b'{' => return None,
        b'"' => "a string",
        b'[' => "an array",
        b't' | b'f' => "a boolean",
        b'n' => "null",
        _ => "a number",
    })
}
