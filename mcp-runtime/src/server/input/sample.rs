//! Sampling: asking the client's language model.

use std::ops::Deref;

use mcp_types::{
    CreateMessageRequestParams, CreateMessageResult, InputRequest, ModelPreferences, RawJson, Role,
    SamplingMessage, SamplingMessageContentBlock as Block, Tool, ToolChoice, ToolUseContent,
};

use super::{Ask, AskError, Question};
use crate::limits::SAMPLING_TOKENS;

/// A conversation for the client's model to continue. Await it for the answer.
///
/// Made by [`Context::sample`](crate::Context::sample).
pub type Sample = Question<SamplingRequest>;

/// The kind of [`Sample`].
#[derive(Clone, Debug)]
pub struct SamplingRequest {
    pub(in crate::server) params: CreateMessageRequestParams,
}

impl SamplingRequest {
    pub(in crate::server) fn new(conversation: impl IntoConversation) -> Self {
        let messages = conversation.into_conversation();
        Self {
            params: CreateMessageRequestParams::new(messages, SAMPLING_TOKENS),
        }
    }
}

/// A conversation: the text of one user message, or a list of messages.
pub trait IntoConversation {
    /// Returns the messages in order.
    fn into_conversation(self) -> Vec<SamplingMessage>;
}

impl IntoConversation for &str {
    fn into_conversation(self) -> Vec<SamplingMessage> {
        let text = Block::text(self);
        vec![SamplingMessage::new(Role::User, text)]
    }
}

impl IntoConversation for String {
    fn into_conversation(self) -> Vec<SamplingMessage> {
        self.as_str().into_conversation()
    }
}

impl IntoConversation for Vec<SamplingMessage> {
    fn into_conversation(self) -> Vec<SamplingMessage> {
        self
    }
}

impl<const N: usize> IntoConversation for [SamplingMessage; N] {
    fn into_conversation(self) -> Vec<SamplingMessage> {
        self.into()
    }
}

impl Sample {
    /// Sets how many tokens the model may generate at most. The default is 1000.
    pub fn max_tokens(mut self, tokens: i64) -> Self {
        self.kind.params.max_tokens = tokens.into();
        self
    }

    /// Sets the system prompt. The client may change or omit it.
    pub fn system(mut self, prompt: impl Into<String>) -> Self {
        self.kind.params.system_prompt = Some(prompt.into());
        self
    }

    /// Sets preferences for the model. The client makes the choice.
    pub fn model(mut self, preferences: ModelPreferences) -> Self {
        self.kind.params.model_preferences = Some(preferences);
        self
    }

    /// Sets the temperature, on the scale of the model.
    pub fn temperature(mut self, temperature: f64) -> Self {
        self.kind.params.temperature = Some(temperature);
        self
    }

    /// Sets the strings at which the model stops.
    pub fn stop_at(mut self, texts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.kind.params.stop_sequences = Some(texts.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the tools that the model may use.
    ///
    /// The server runs the tools: it finds the uses in [`Sampled::tool_uses`], and puts the results
    /// into the next question. This needs a client that declared `sampling.tools`, which exists
    /// since 2025-11-25.
    pub fn tools(mut self, tools: impl IntoIterator<Item = Tool>) -> Self {
        self.kind.params.tools = Some(tools.into_iter().collect());
        self
    }

    /// Sets whether the model may, must or must not use the tools. By default it may.
    pub fn tool_choice(mut self, choice: ToolChoice) -> Self {
        self.kind.params.tool_choice = Some(choice);
        self
    }
}

/// The answer of the client's model.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled(CreateMessageResult);

impl Sampled {
    pub(super) fn read(answer: &RawJson) -> Result<Self, AskError> {
        answer.parse().map(Self).map_err(AskError::misfit)
    }

    /// Returns all text of the answer, with a line break between two blocks.
    #[must_use]
    pub fn text(&self) -> String {
        let blocks = self.0.content.as_slice().iter();
        let texts = blocks.filter_map(|block| match block {
            Block::Text(text) => Some(&*text.text),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Iterates over the tool uses that the model requests.
    pub fn tool_uses(&self) -> impl Iterator<Item = &ToolUseContent> {
        let blocks = self.0.content.as_slice().iter();
        blocks.filter_map(|block| match block {
            Block::ToolUse(usage) => Some(usage),
            _ => None,
        })
    }

    /// Converts the answer into the next message of the conversation.
    #[must_use]
    pub fn into_message(self) -> SamplingMessage {
        SamplingMessage::new(self.0.role, self.0.content)
    }

    /// Returns the answer as the client sent it.
    #[must_use]
    pub fn into_result(self) -> CreateMessageResult {
        self.0
    }
}

impl Deref for Sampled {
    type Target = CreateMessageResult;

    fn deref(&self) -> &CreateMessageResult {
        &self.0
    }
}

impl Ask for SamplingRequest {
    type Answer = Sampled;

    fn request(&self) -> Result<InputRequest, AskError> {
        check_messages(&self.params.messages).map_err(AskError::Question)?;
        Ok(InputRequest::CreateMessage(Box::new(self.params.clone())))
    }

    fn read(&self, answer: &RawJson) -> Result<Sampled, AskError> {
        Sampled::read(answer)
    }
}

/// Checks that each use of a tool is followed by its result before any other content, and that a
/// message with results holds nothing else (2026-07-28, "Sampling", section Message Content
/// Constraints).
///
/// # Errors
///
/// With the rule that is broken.
fn check_messages(messages: &[SamplingMessage]) -> Result<(), String> {
    let mut open = Vec::new();
    for message in messages {
        let blocks = message.content.as_slice();
        let results = ids(blocks, |block| match block {
            Block::ToolResult(result) => Some(&result.tool_use_id),
            _ => None,
        });
        let is_mixed = !results.is_empty() && results.len() != blocks.len();
        if is_mixed {
            return Err("a message with tool results must not hold anything else".to_owned());
        }
        if results != open {
            return Err(
                "each tool use must be followed by its result in the next message".to_owned(),
            );
        }
        open = ids(blocks, |block| match block {
            Block::ToolUse(usage) => Some(&usage.id),
            _ => None,
        });
    }
    if open.is_empty() {
        return Ok(());
    }
    Err("the last message uses tools, but their results are missing".to_owned())
}

/// Returns the ids that `id` finds in the blocks, sorted.
fn ids(blocks: &[Block], id: fn(&Block) -> Option<&str>) -> Vec<&str> {
    let mut ids: Vec<_> = blocks.iter().filter_map(id).collect();
    ids.sort_unstable();
    ids
}

#[cfg(test)]
mod tests {
    use mcp_types::SamplingMessage;
    use serde_json::{Value, json};

    use super::check_messages;

    fn fault(messages: Value) -> Option<String> {
        let messages: Vec<SamplingMessage> = serde_json::from_value(messages).unwrap();
        check_messages(&messages).err()
    }

    fn text(role: &str) -> Value {
        json!({"role": role, "content": {"type": "text", "text": "hm"}})
    }

    fn uses(ids: &[&str]) -> Value {
        let blocks = ids
            .iter()
            .map(|id| json!({"type": "tool_use", "id": id, "name": "t", "input": {}}));
        json!({"role": "assistant", "content": blocks.collect::<Value>()})
    }

    fn results(ids: &[&str]) -> Value {
        let blocks = ids
            .iter()
            .map(|id| json!({"type": "tool_result", "toolUseId": id, "content": []}));
        json!({"role": "user", "content": blocks.collect::<Value>()})
    }

    #[test]
    fn each_use_of_a_tool_is_followed_by_its_result() {
        assert_eq!(fault(json!([text("user"), text("assistant")])), None);
        assert_eq!(
            fault(json!([
                text("user"),
                uses(&["a", "b"]),
                results(&["b", "a"]),
                text("assistant")
            ])),
            None
        );
        for wrong in [
            json!([text("user"), uses(&["a", "b"]), results(&["a"])]),
            json!([text("user"), uses(&["a"]), text("user")]),
            json!([text("user"), uses(&["a"])]),
            json!([text("user"), results(&["a"])]),
        ] {
            assert!(fault(wrong.clone()).is_some(), "{wrong}");
        }
    }

    #[test]
    fn results_stand_by_themselves() {
        let mut mixed = results(&["a"]);
        mixed["content"]
            .as_array_mut()
            .unwrap()
            .push(json!({"type": "text", "text": "so"}));
        let fault = fault(json!([text("user"), uses(&["a"]), mixed])).unwrap();
        assert!(fault.contains("anything else"), "{fault}");
    }
}
