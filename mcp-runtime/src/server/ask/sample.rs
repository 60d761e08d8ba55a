//! Asking the client's language model.

use std::future::IntoFuture;
use std::ops::Deref;
use std::time::Duration;

use mcp_types::{
    CreateMessageRequestParams, CreateMessageResult, InputRequest, ModelPreferences, RawJson, Role,
    SamplingMessage, SamplingMessageContentBlock, Tool, ToolChoice, ToolUseContent,
};

use super::AskError;
use super::common::{Ask, answer, private};
use super::question::Question;
use super::turns::check;
use crate::connection::BoxFuture;
use crate::limits::SAMPLING_TOKENS;
use crate::server::Context;

/// A session for the client's model to go on with; await it to ask.
///
/// Made by [`Context::sample`].
#[must_use = "nothing is asked until this is awaited"]
#[derive(Clone, Debug)]
pub struct Sample {
    cx: Context,
    pub(super) params: CreateMessageRequestParams,
    key: Option<String>,
    timeout: Option<Duration>,
}

/// A session: what a user says, or messages of both sides.
pub trait IntoConversation {
    /// The messages, in order.
    fn into_conversation(self) -> Vec<SamplingMessage>;
}

impl IntoConversation for &str {
    fn into_conversation(self) -> Vec<SamplingMessage> {
        let text = SamplingMessageContentBlock::text(self);
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
    pub(super) fn new(cx: Context, messages: Vec<SamplingMessage>) -> Self {
        Self {
            cx,
            params: CreateMessageRequestParams::new(messages, SAMPLING_TOKENS),
            key: None,
            timeout: None,
        }
    }

    /// The most tokens that the model may generate; 1000 unless set.
    pub fn max_tokens(mut self, tokens: i64) -> Self {
        self.params.max_tokens = tokens;
        self
    }

    /// The system prompt that the server would like; the client may change or omit it.
    pub fn system(mut self, prompt: impl Into<String>) -> Self {
        self.params.system_prompt = Some(prompt.into());
        self
    }

    /// What matters in choosing the model; the client may choose otherwise.
    pub fn model(mut self, preferences: ModelPreferences) -> Self {
        self.params.model_preferences = Some(preferences);
        self
    }

    /// How freely tokens are chosen, on the model's own scale.
    pub fn temperature(mut self, temperature: f64) -> Self {
        self.params.temperature = Some(temperature);
        self
    }

    /// Texts at which the model stops.
    pub fn stop_at(mut self, texts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.params.stop_sequences = Some(texts.into_iter().map(Into::into).collect());
        self
    }

    /// Tools that the model may ask for. The server runs them: what it asks for is in
    /// [`Sampled::tool_uses`], and what came of it goes into the next session.
    ///
    /// Only for clients that declared `sampling.tools`, in revisions from 2025-11-25.
    pub fn tools(mut self, tools: impl IntoIterator<Item = Tool>) -> Self {
        self.params.tools = Some(tools.into_iter().collect());
        self
    }

    /// Whether the model may, must or must not use the tools; it may unless set.
    pub fn tool_choice(mut self, choice: ToolChoice) -> Self {
        self.params.tool_choice = Some(choice);
        self
    }

    /// Names the question, for clients that look at the names.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// How long the answer may take, where the call waits for it (handshake era).
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }
}

/// What the client's model said.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled(CreateMessageResult);

impl Sampled {
    pub(super) fn read(answer: &RawJson) -> Result<Self, AskError> {
        let result: serde_json::Result<CreateMessageResult> = answer.parse();
        result
            .map(Self)
            .map_err(|fault| AskError::Answer(fault.to_string()))
    }

    /// All text of the answer, one block a line.
    #[must_use]
    pub fn text(&self) -> String {
        let mut all = String::new();
        let mut is_first = true;
        for block in self.0.content.as_slice() {
            if let SamplingMessageContentBlock::Text(text) = block {
                if !std::mem::take(&mut is_first) {
                    all.push('\n');
                }
                all.push_str(&text.text);
            }
        }
        all
    }

    /// The tools that the model wants to use.
    pub fn tool_uses(&self) -> impl Iterator<Item = &ToolUseContent> {
        let blocks = self.0.content.as_slice().iter();
        blocks.filter_map(|block| match block {
            SamplingMessageContentBlock::ToolUse(usage) => Some(usage),
            _ => None,
        })
    }

    /// The answer as the next message of the session.
    #[must_use]
    pub fn into_message(self) -> SamplingMessage {
        SamplingMessage::new(self.0.role, self.0.content)
    }

    /// The answer as the client sent it.
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

impl private::Sealed for Sample {}

impl Ask for Sample {
    type Answer = Sampled;

    fn question(&self) -> Result<Question, AskError> {
        check(&self.params.messages).map_err(AskError::Question)?;
        let params = Box::new(self.params.clone());
        Ok(Question {
            key: self.key.clone(),
            timeout: self.timeout,
            ..Question::new(InputRequest::CreateMessage(params))
        })
    }

    fn read(&self, answer: &RawJson) -> Result<Sampled, AskError> {
        Sampled::read(answer)
    }
}

impl IntoFuture for Sample {
    type Output = Result<Sampled, AskError>;
    type IntoFuture = BoxFuture<Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        let cx = self.cx.clone();
        answer(self, cx)
    }
}
