//! Entries of prompts: how prompts are listed and requested, and how their arguments are completed.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use mcp_types::{
    CompleteRequestParams, CompleteResult, ContentBlock, GetPromptResult, ListPromptsResult,
    Prompt, PromptMessage, RawJson, RawJsonRef, Revision, Role, methods,
};
use serde::Serialize;

use crate::ProtocolError;
use crate::error::RequestError;
use crate::layer::McpResponse;
use crate::protocol::{RequestParams, invalid_params};
use crate::server::catalog::{Catalog, CatalogEntry, ListResult, Visibility};
use crate::server::completions::Completers;
use crate::server::dispatch::ServerRequest;
use crate::server::handler::{CallResult, Convert, Texts, conversions, to_protocol};
use crate::server::layers::{InnermostHandler, Layered, Stack, check_same, typed_result};
use crate::server::{Context, HandlerError, Reply, Scopes};

/// A prompt that a server offers, with its handler.
pub struct PromptEntry {
    pub(in crate::server) prompt: Prompt,
    pub(in crate::server) handler: Arc<PromptHandler>,
    pub(in crate::server) layers: Option<Stack>,
    pub(in crate::server) completers: Completers,
    pub(in crate::server) visibility: Visibility<Self>,
    pub(in crate::server) scopes: Scopes,
    /// True if a parameter of the function is a question to the user.
    pub(in crate::server) asks: bool,
}

pub(in crate::server) type PromptHandler =
    dyn Fn(PromptCall<'_>) -> Reply<GetPromptResult> + Send + Sync;

/// A request for a prompt.
#[derive(Clone, Copy, Debug)]
pub struct PromptCall<'a> {
    /// The arguments by their names.
    pub arguments: &'a Texts,
    /// The context of the request.
    pub context: &'a Context,
}

impl PromptEntry {
    /// Creates a prompt that is listed as `prompt` and served by `handler`.
    pub fn new(
        prompt: Prompt,
        handler: impl Fn(PromptCall<'_>) -> Reply<GetPromptResult> + Send + Sync + 'static,
    ) -> Self {
        Self {
            prompt,
            handler: Arc::new(handler),
            layers: None,
            completers: Completers::default(),
            visibility: Visibility::default(),
            scopes: Scopes::default(),
            asks: false,
        }
    }
}

impl fmt::Debug for PromptEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PromptEntry")
            .field(&self.prompt.name)
            .finish()
    }
}

impl CatalogEntry for PromptEntry {
    fn name(&self) -> &str {
        &self.prompt.name
    }

    fn visibility(&self) -> &Visibility<Self> {
        &self.visibility
    }

    fn needed_scopes(&self) -> &Scopes {
        &self.scopes
    }

    fn completes(&self) -> bool {
        !self.completers.is_empty()
    }

    fn layered(mut self) -> Self {
        let layers = self.layers.take();
        self.handler = around_prompt(layers.as_ref(), &self.prompt.name, self.handler);
        self
    }
}

impl ListResult for ListPromptsResult {
    type Entry = PromptEntry;
    type Item = Prompt;

    const NUMBER: usize = 1;

    fn item(entry: &PromptEntry, _: Revision) -> Option<Prompt> {
        Some(entry.prompt.clone())
    }

    fn page(prompts: Vec<Prompt>, next_cursor: Option<String>) -> Self {
        let mut page = Self::new(prompts);
        page.next_cursor = next_cursor;
        page
    }
}

/// Reads the arguments of a request for a prompt.
///
/// # Errors
///
/// When the arguments are not an object with strings.
pub(in crate::server) fn arguments(params: &RequestParams<'_>) -> Result<Texts, RequestError> {
    let arguments = params.shared.arguments;
    let arguments = arguments.unwrap_or(RawJsonRef::empty_object());
    arguments
        .parse()
        .map_err(|error| invalid_params("params.arguments", arguments.get(), &error))
}

impl Catalog<PromptEntry> {
    /// Answers `prompts/get`.
    ///
    /// # Errors
    ///
    /// When the parameters are malformed, the prompt does not exist, or the caller lacks its
    /// scopes.
    pub(in crate::server) fn call(
        &self,
        request: ServerRequest<'_>,
    ) -> Result<Reply<GetPromptResult>, RequestError> {
        let name = request.params.name()?;
        let arguments = arguments(request.params)?;
        let context = request.context;
        let Some(entry) = self.get_for(&name, context) else {
            return Err(RequestError::UnknownPrompt(name.into_owned()));
        };
        self.check_scopes(entry, context)?;
        Ok((entry.handler)(PromptCall {
            arguments: &arguments,
            context,
        }))
    }

    /// Completes an argument of the prompt called `name`.
    ///
    /// # Errors
    ///
    /// When the prompt does not exist for the caller of `context`, the caller lacks its scopes, or
    /// the argument does not exist.
    pub(in crate::server) fn complete(
        &self,
        name: &str,
        params: CompleteRequestParams,
        context: &Context,
    ) -> Result<Reply<CompleteResult>, RequestError> {
        let Some(entry) = self.get_for(name, context) else {
            return Err(RequestError::UnknownPrompt(name.to_owned()));
        };
        self.check_scopes(entry, context)?;
        let arguments = entry.prompt.arguments.iter().flatten();
        let arguments: Vec<_> = arguments.map(|argument| &*argument.name).collect();
        entry.completers.complete(params, &arguments)
    }
}

pub(in crate::server) fn around_prompt(
    layers: Option<&Stack>,
    name: &str,
    handler: Arc<PromptHandler>,
) -> Arc<PromptHandler> {
    #[derive(Serialize)]
    struct Params<'a> {
        name: &'a str,
        arguments: &'a Texts,
    }

    let Some(layers) = layers else { return handler };
    let own = name.to_owned();
    let innermost = InnermostHandler::new(move |params, context| {
        check_same("name", &params.name()?, &own)?;
        let arguments = &arguments(params)?;
        let reply = handler(PromptCall { arguments, context });
        Ok(reply.then(|result| Ok(McpResponse::typed(result))))
    });
    let layered = Layered::new(methods::PROMPTS_GET, layers.outermost());
    let name = name.to_owned();
    Arc::new(move |call: PromptCall<'_>| {
        let arguments = call.arguments;
        let params = RawJson::encode(&Params {
            name: &name,
            arguments,
        });
        let inner = Arc::clone(&innermost);
        let outcome = layered.call(Some(params), call.context, inner);
        Reply::Pending(Box::pin(async move {
            typed_result::<GetPromptResult>(outcome.await?)
        }))
    })
}

/// A value that a prompt can return.
///
/// Strings and content become messages of the user.
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
    /// Converts the value into a result.
    ///
    /// # Errors
    ///
    /// The JSON-RPC error that answers the request instead of a result.
    fn into_prompt_result(self) -> Result<GetPromptResult, ProtocolError>;
}

impl CallResult for GetPromptResult {}

/// Returns the conversion of a return type into the result of a prompt.
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
        self.map_err(to_protocol)?.into_prompt_result()
    }
}
