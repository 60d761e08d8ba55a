//! What the fixtures ask the client, in the handshake era.

use mcp_runtime::prelude::*;
use mcp_runtime::serde_json::{self, Value, json};
use mcp_runtime::types::{
    CreateMessageRequest, CreateMessageRequestParams, ElicitRequest, ElicitRequestFormParams,
    ElicitRequestParams, SamplingMessage, SamplingMessageContentBlock, TextContent,
};

/// Asks the client's model.
pub(crate) async fn sample(cx: &Context, prompt: String) -> Result<String, ToolError> {
    let content = SamplingMessageContentBlock::Text(TextContent::new(prompt));
    let message = SamplingMessage::new(Role::User, content);
    let params = CreateMessageRequestParams::new([message], 100);
    let answer = cx.peer().call::<CreateMessageRequest>(&params).await?;
    Ok(serde_json::to_string(&answer.content)?)
}

/// Asks the user.
pub(crate) async fn elicit(
    cx: &Context,
    message: &str,
    properties: Value,
    required: &[&str],
) -> Result<String, ToolError> {
    let form: ElicitRequestFormParams = serde_json::from_value(json!({
        "message": message,
        "requestedSchema": {"type": "object", "properties": properties, "required": required},
    }))?;
    let params = ElicitRequestParams::Form(Box::new(form));
    let answer = cx.peer().call::<ElicitRequest>(&params).await?;
    Ok(serde_json::to_string(&answer)?)
}
