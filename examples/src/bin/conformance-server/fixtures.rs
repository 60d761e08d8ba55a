//! The tools, resources and prompts that the suite expects.

use std::time::Duration;

use mcp_runtime::Change;
use mcp_runtime::prelude::*;
use mcp_runtime::transport::http::HttpRequest;
use mcp_runtime::types::{
    EmbeddedResource, LoggingLevel, ResourceContents, TextContent, TextResourceContents,
};
use serde_json::json;

use crate::content::{PNG, WAV};

/// The pause between two notifications of a tool.
const STEP: Duration = Duration::from_millis(50);

pub(crate) struct Fixtures;

fn text(uri: &str, mime_type: &str, text: &str) -> ResourceContents {
    TextResourceContents::new(uri, text)
        .with_mime_type(mime_type)
        .into()
}

fn embedded(contents: ResourceContents) -> ContentBlock {
    EmbeddedResource::new(contents).into()
}

/// Fixtures for the conformance suite.
#[mcp_server(name = "conformance-server", list_changed(tools, prompts))]
impl Fixtures {
    /// Answers with text.
    #[tool]
    fn test_simple_text(&self) -> &'static str {
        "This is a simple text response for testing."
    }

    /// Answers with a picture.
    #[tool]
    fn test_image_content(&self) -> Image {
        Image::png(PNG)
    }

    /// Answers with a sound.
    #[tool]
    fn test_audio_content(&self) -> Audio {
        Audio::new(WAV, "audio/wav")
    }

    /// Answers with a resource.
    #[tool]
    fn test_embedded_resource(&self) -> ContentBlock {
        let content = "This is an embedded resource content.";
        embedded(text("test://embedded-resource", "text/plain", content))
    }

    /// Answers with text, a picture and a resource.
    #[tool]
    fn test_multiple_content_types(&self) -> (&'static str, Image, ContentBlock) {
        let uri = "test://mixed-content-resource";
        let data = r#"{"test":"data","value":123}"#;
        let resource = embedded(text(uri, "application/json", data));
        ("Multiple content types test:", Image::png(PNG), resource)
    }

    /// Fails.
    #[tool]
    fn test_error_handling(&self) -> Result<String, &'static str> {
        Err("This tool intentionally returns an error for testing")
    }

    /// Reports progress.
    #[tool]
    async fn test_tool_with_progress(&self, cx: &Context) -> &'static str {
        for percent in [0, 50, 100] {
            cx.progress(percent, 100, format!("Completed step {percent} of 100"));
            tokio::time::sleep(STEP).await;
        }
        "Tool with progress executed successfully"
    }

    /// Logs what it does.
    #[tool]
    async fn test_tool_with_logging(&self, cx: &Context) -> &'static str {
        for step in ["started", "processing data", "completed"] {
            cx.log(LoggingLevel::Info, format!("Tool execution {step}"));
            tokio::time::sleep(STEP).await;
        }
        "Tool with logging executed successfully"
    }

    /// Closes the stream before it answers.
    #[tool]
    async fn test_reconnection(&self, request: &HttpRequest) -> &'static str {
        request.close_stream(Duration::from_millis(500));
        tokio::time::sleep(Duration::from_millis(100)).await;
        "Reconnection test completed"
    }

    /// Takes an argument that is repeated in a header.
    #[tool]
    fn test_custom_header(&self, #[arg(header = "Region")] region: String) -> String {
        format!("Region: {region}")
    }

    /// Logs nothing unless the client requests it.
    #[tool]
    fn test_logging_tool(&self, cx: &Context) -> &'static str {
        cx.log(LoggingLevel::Info, "The tool was called.");
        "Logged to whom it may concern."
    }

    /// Announces that the list of tools has changed.
    #[tool]
    fn test_trigger_tool_change(&self, cx: &Context) -> &'static str {
        cx.notify_changed(Change::Tools);
        "The list of tools has changed."
    }

    /// Announces that the list of prompts has changed.
    #[tool]
    fn test_trigger_prompt_change(&self, cx: &Context) -> &'static str {
        cx.notify_changed(Change::Prompts);
        "The list of prompts has changed."
    }

    /// Text that never changes.
    #[resource("test://static-text", mime = "text/plain")]
    fn static_text(&self) -> &'static str {
        "This is the content of the static text resource."
    }

    /// A picture that never changes.
    #[resource("test://static-binary", mime = "image/png")]
    fn static_binary(&self) -> Vec<u8> {
        PNG.to_vec()
    }

    /// A resource that changes now and then.
    #[resource("test://watched-resource", mime = "text/plain", subscribe)]
    fn watched(&self) -> &'static str {
        "Watched resource content."
    }

    /// Data by number.
    #[resource("test://template/{id}/data", mime = "application/json")]
    fn template(&self, id: String) -> String {
        json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")}).to_string()
    }

    /// Says hello.
    #[prompt]
    fn test_simple_prompt(&self) -> &'static str {
        "This is a simple prompt for testing."
    }

    /// Repeats its arguments.
    #[prompt]
    fn test_prompt_with_arguments(
        &self,
        /// The first argument.
        #[arg(complete = Self::suggestions)]
        arg1: String,
        /// The second argument.
        arg2: String,
    ) -> String {
        format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")
    }

    /// Shows a resource.
    #[prompt(name = "test_prompt_with_embedded_resource")]
    fn prompt_with_resource(
        &self,
        #[arg(rename = "resourceUri")] uri: String,
    ) -> Vec<PromptMessage> {
        let content = "Embedded resource content for testing.";
        let process = TextContent::new("Please process the embedded resource above.");
        vec![
            PromptMessage::new(Role::User, embedded(text(&uri, "text/plain", content))),
            PromptMessage::new(Role::User, process),
        ]
    }

    /// Shows a picture.
    #[prompt]
    fn test_prompt_with_image(&self) -> Vec<PromptMessage> {
        let analyse = TextContent::new("Please analyze the image above.");
        vec![
            PromptMessage::new(Role::User, Image::png(PNG)),
            PromptMessage::new(Role::User, analyse),
        ]
    }

    fn suggestions(request: &CompletionRequest) -> Vec<String> {
        vec![format!("{}ing", request.value())]
    }
}
