//! Return types of prompts, as the answer to `prompts/get`.

use std::borrow::Cow;

use mcp_types::{ContentBlock, GetPromptResult, PromptMessage, Role};

use crate::ProtocolError;
use crate::server::handler::run::{CallResult, Convert, conversions};
use crate::server::handler::{HandlerError, error};

/// A value that answers `prompts/get`.
///
/// Text and content are messages of the user.
///
/// ```
/// use mcp_runtime::IntoPromptResult;
/// use mcp_runtime::types::Role;
///
/// let result = "Summarise Emma.".into_prompt_result().unwrap();
/// assert_eq!(result.messages[0].role, Role::User);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned from a prompt",
    label = "is neither text nor messages",
    note = "return a `String`, a `PromptMessage`, a `Vec` of them, or a `GetPromptResult`"
)]
pub trait IntoPromptResult {
    /// Makes the result.
    ///
    /// # Errors
    ///
    /// With what the request is answered with instead of a result.
    fn into_prompt_result(self) -> Result<GetPromptResult, ProtocolError>;
}

impl CallResult for GetPromptResult {}

/// The conversion of a return type into the result of a prompt.
pub fn prompt_output<T: IntoPromptResult>() -> Convert<T, GetPromptResult> {
    T::into_prompt_result
}

conversions! {
    IntoPromptResult::into_prompt_result -> GetPromptResult;
    result: GetPromptResult => result;
    messages: Vec<PromptMessage> => GetPromptResult::new(messages);
    message: PromptMessage => GetPromptResult::new([message]);
    content: ContentBlock => GetPromptResult::new([PromptMessage::new(Role::User, content)]);
    text: String, &'static str, Cow<'static, str> =>
        GetPromptResult::new([PromptMessage::new(Role::User, ContentBlock::text(text))]);
}

impl<const N: usize> IntoPromptResult for [PromptMessage; N] {
    fn into_prompt_result(self) -> Result<GetPromptResult, ProtocolError> {
        Ok(GetPromptResult::new(self))
    }
}

impl<T: IntoPromptResult, E: HandlerError> IntoPromptResult for Result<T, E> {
    fn into_prompt_result(self) -> Result<GetPromptResult, ProtocolError> {
        self.map_err(error::to_protocol)?.into_prompt_result()
    }
}
