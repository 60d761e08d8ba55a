//! Messages of a conversation with a language model.

use crate::{
    ContentBlock, GetPromptResult, OneOrMany, PromptMessage, Role, SamplingMessage,
    SamplingMessageContentBlock,
};

impl PromptMessage {
    /// Creates a message of the user.
    ///
    /// ```
    /// use mcp_types::{GetPromptResult, PromptMessage};
    ///
    /// let review = GetPromptResult::new([
    ///     PromptMessage::user("Please review this function."),
    ///     PromptMessage::assistant("Show it to me."),
    /// ]);
    /// assert_eq!(review.messages[1].content.as_text(), Some("Show it to me."));
    /// ```
    #[must_use]
    pub fn user(content: impl Into<ContentBlock>) -> Self {
        Self::new(Role::User, content)
    }

    /// Creates a message of the model.
    #[must_use]
    pub fn assistant(content: impl Into<ContentBlock>) -> Self {
        Self::new(Role::Assistant, content)
    }
}

impl From<PromptMessage> for GetPromptResult {
    fn from(message: PromptMessage) -> Self {
        Self::new([message])
    }
}

impl SamplingMessage {
    /// Creates a message of the user.
    #[must_use]
    pub fn user(content: impl Into<SamplingMessageContentBlock>) -> Self {
        Self::new(Role::User, OneOrMany::One(content.into()))
    }

    /// Creates a message of the model.
    #[must_use]
    pub fn assistant(content: impl Into<SamplingMessageContentBlock>) -> Self {
        Self::new(Role::Assistant, OneOrMany::One(content.into()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn who_speaks_is_in_the_message() {
        let said = GetPromptResult::from(PromptMessage::user("hi"));
        let json = serde_json::to_value(said).unwrap();
        let content = json!({"type": "text", "text": "hi"});
        assert_eq!(
            json["messages"],
            json!([{"role": "user", "content": content}])
        );
        let said = serde_json::to_value(SamplingMessage::assistant("hi")).unwrap();
        assert_eq!(said, json!({"role": "assistant", "content": content}));
        assert_eq!(SamplingMessage::user("hi").role, Role::User);
        assert_eq!(PromptMessage::assistant("hi").role, Role::Assistant);
    }
}
