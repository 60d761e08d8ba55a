//! A travel guide whose texts the client's language model writes, with a tool that the model may
//! use. The same functions serve clients of both eras.

#![expect(deprecated, reason = "shows a deprecated part of the protocol")]

use mcp_runtime::input::{IntoConversation, Sampled};
use mcp_runtime::prelude::*;
use mcp_runtime::types::{
    ModelPreferences, SamplingMessage, SamplingMessageContentBlock, TextContent, Tool,
    ToolResultContent,
};
use serde_json::json;

struct Guide;

/// The number of tool calls after which the model must answer.
const MOST_QUESTIONS: usize = 4;

#[mcp_server(name = "sample")]
impl Guide {
    /// Describes a town in one sentence.
    #[tool]
    async fn describe(&self, town: String, cx: &Context) -> Result<String, ToolError> {
        let said = cx
            .sample(format!("Describe {town} in one sentence."))
            .system("You are a travel guide.")
            .model(ModelPreferences::new().with_speed_priority(0.9))
            .max_tokens(100)
            .await?;
        Ok(said.text())
    }

    /// Recommends what to do in a town. The model may ask for the weather.
    #[tool]
    async fn recommend(&self, town: String, cx: &Context) -> Result<String, ToolError> {
        let mut talk = format!("What should I do in {town} today?").into_conversation();
        for _ in 0..MOST_QUESTIONS {
            let said = cx.sample(talk.clone()).tools([thermometer()]).await?;
            let results = measured(&said);
            if results.is_empty() {
                return Ok(said.text());
            }
            talk.push(said.into_message());
            talk.push(SamplingMessage::new(Role::User, results));
        }
        Ok("Make up your own mind.".to_owned())
    }
}

/// The tool that the model may call.
fn thermometer() -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {"town": {"type": "string"}},
        "required": ["town"],
    });
    Tool::new("temperature", schema).with_description("How warm it is in a town, in °C.")
}

/// Runs the tool calls of the model, and returns their results.
fn measured(said: &Sampled) -> Vec<SamplingMessageContentBlock> {
    let results = said.tool_uses().map(|usage| {
        let degrees = usage.input.get().len() % 40;
        let text = TextContent::new(format!("{degrees} °C"));
        let result = ToolResultContent::new([text.into()], &usage.id);
        SamplingMessageContentBlock::ToolResult(result)
    });
    results.collect()
}

#[mcp_runtime::main]
async fn main() -> Result<(), ServeError> {
    Guide.serve(stdio()).await
}
