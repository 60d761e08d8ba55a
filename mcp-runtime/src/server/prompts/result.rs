//! Return types of prompts, as the answer to `prompts/get`.

use std::borrow::Cow;

use mcp_types::{ContentBlock, GetPromptResult, PromptMessage, Role};

use crate::ProtocolError;
use crate::server::handler::run::Convert;
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

/// The conversion of a return type into the result of a prompt.
pub fn prompt_output<T: IntoPromptResult>() -> Convert<T, GetPromptResult> {
    T::into_prompt_result
}

impl IntoPromptResult for GetPromptResult {
    fn into_prompt_result(self) -> Result<GetPromptResult, ProtocolError> {
        Ok(self)
    }
}

impl IntoPromptResult for Vec<PromptMessage> {
    fn into_prompt_result(self) -> Result<GetPromptResult, ProtocolError> {
        Ok(GetPromptResult::new(self))
    }
}

impl<const N: usize> IntoPromptResult for [PromptMessage; N] {
    fn into_prompt_result(self) -> Result<GetPromptResult, ProtocolError> {
        Ok(GetPromptResult::new(self))
    }
}

impl IntoPromptResult for PromptMessage {
    fn into_prompt_result(self) -> Result<GetPromptResult, ProtocolError> {
        Ok(GetPromptResult::new([self]))
    }
}

impl IntoPromptResult for ContentBlock {
    fn into_prompt_result(self) -> Result<GetPromptResult, ProtocolError> {
        PromptMessage::new(Role::User, self).into_prompt_result()
    }
}

macro_rules! text {
    ($($kind:ty),*) => {$(
        impl IntoPromptResult for $kind {
            fn into_prompt_result(self) -> Result<GetPromptResult, ProtocolError> {
                ContentBlock::text(self).into_prompt_result()
            }
        }
    )*};
}

text!(String, &'static str, Cow<'static, str>);

impl<T: IntoPromptResult, E: HandlerError> IntoPromptResult for Result<T, E> {
    fn into_prompt_result(self) -> Result<GetPromptResult, ProtocolError> {
        self.map_err(error::to_protocol)?.into_prompt_result()
    }
}
