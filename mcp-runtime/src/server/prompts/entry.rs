//! Prompts: description, function, `prompts/get`, and the completion of arguments.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use mcp_types::{
    CompleteRequestParams, CompleteResult, ContentBlock, GetPromptResult, ListPromptsResult,
    Prompt, PromptArgument, PromptMessage, RawJsonRef, Revision, Role,
};

use crate::ProtocolError;
use crate::advice::HeldThread;
use crate::error::RequestError;
use crate::protocol::invalid_params;
use crate::server::catalog::{Catalog, Entry, ListResult, Visibility};
use crate::server::completions::{Completer, Completers};
use crate::server::dispatch::ServerRequest;
use crate::server::handler::run::{CallResult, Convert, Rejection, conversions, run};
use crate::server::handler::text::{Declares, TextArgument, TextArguments, TextCall, Texts};
use crate::server::handler::{HandlerError, error};
use crate::server::layers::Stack;
use crate::server::scopes::Scopes;
use crate::server::{Context, Reply};

/// A prompt that a server offers.
pub struct PromptEntry {
    pub(in crate::server) prompt: Prompt,
    pub(in crate::server) handler: Arc<Handler>,
    pub(in crate::server) layers: Option<Stack>,
    pub(in crate::server) completers: Completers,
    pub(in crate::server) visibility: Visibility<Self>,
    pub(in crate::server) scopes: Scopes,
}

type Handler = dyn Fn(PromptCall<'_>) -> Reply<GetPromptResult> + Send + Sync;

/// A request for a prompt.
#[derive(Clone, Copy, Debug)]
pub struct PromptCall<'a> {
    /// The arguments by name.
    pub arguments: &'a Texts,
    /// The context of the request.
    pub context: &'a Context,
}

impl PromptEntry {
    /// A prompt that is listed as `prompt` and served by `handler`.
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
        }
    }
}

impl PromptEntry {
    /// Serves a request through the layers of the prompt.
    pub(in crate::server) fn serve(&self, call: PromptCall<'_>) -> Reply<GetPromptResult> {
        match &self.layers {
            None => (self.handler)(call),
            Some(layers) => {
                let handler = Arc::clone(&self.handler);
                layers.prompt(&self.prompt.name, call, move |call: PromptCall<'_>| {
                    handler(call)
                })
            }
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

impl Entry for PromptEntry {
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

impl CallResult for GetPromptResult {}

impl Catalog<PromptEntry> {
    /// Answers `prompts/get`.
    ///
    /// # Errors
    ///
    /// When the parameters do not fit, there is no such prompt, or the caller does not have its
    /// scopes.
    pub(in crate::server) fn call(
        &self,
        request: ServerRequest<'_>,
    ) -> Result<Reply<GetPromptResult>, RequestError> {
        let name = request.params.name()?;
        let arguments = request.params.shared.arguments;
        let arguments = arguments.unwrap_or(RawJsonRef::empty_object());
        let arguments: Texts = arguments
            .parse()
            .map_err(|error| invalid_params("params.arguments", arguments.get(), &error))?;
        let context = request.context;
        let Some(entry) = self.get_for(&name, context) else {
            return Err(RequestError::UnknownPrompt(name.into_owned()));
        };
        self.check_scopes(entry, context)?;
        Ok(entry.serve(PromptCall {
            arguments: &arguments,
            context,
        }))
    }

    /// Completes an argument of the prompt called `name`.
    ///
    /// # Errors
    ///
    /// When there is no such prompt for the caller of `context`, it does not have the scopes, or
    /// there is no such argument.
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

/// Describes a prompt, and makes an entry of it and a function.
///
/// ```
/// use mcp_runtime::Server;
/// use mcp_runtime::server::prompts::{PromptBuilder, argument, optional};
///
/// let title = argument::<String>("title").complete(async |_| vec!["Emma", "Persuasion"]);
/// let mut server = Server::builder();
/// server.prompt(
///     PromptBuilder::new("summary")
///         .description("Summarises one book.")
///         .arguments((title, optional::<u32>("words")))
///         .call(|(title, words), _| {
///             format!("Summarise {title} in {} words.", words.unwrap_or(100))
///         }),
/// );
/// # drop(server.build());
/// ```
#[derive(Debug)]
pub struct PromptBuilder<A = ()> {
    pub(in crate::server) entry: PromptEntry,
    arguments: A,
}

impl PromptBuilder {
    /// A prompt called `name` that takes nothing.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        let nothing = |_: PromptCall<'_>| Reply::Ready(Err(RequestError::Internal.to_error()));
        Self {
            entry: PromptEntry::new(Prompt::new(name), nothing),
            arguments: (),
        }
    }

    /// Adds arguments; the order is the one that `prompts/list` shows.
    pub fn arguments<A: TextArguments>(mut self, arguments: A) -> PromptBuilder<A> {
        let arguments = arguments.declare(&mut self);
        self.replace(arguments).0
    }

    /// Adds an argument.
    pub fn argument<T>(&mut self, mut argument: TextArgument<T>) -> TextArgument<T> {
        let mut listed = PromptArgument::new(argument.name).with_required(argument.is_required());
        listed.description = argument.description.take().map(Into::into);
        if let Some(completer) = argument.completer.take() {
            self.complete(argument.name, completer);
        }
        let prompt = &mut self.entry.prompt;
        prompt.arguments.get_or_insert_default().push(listed);
        argument
    }

    /// Completes an argument by `completer`.
    #[doc(hidden)]
    pub fn complete(&mut self, argument: &'static str, completer: Completer) {
        self.entry.completers.add(argument, completer);
    }

    /// The entry; `call` serves each request.
    #[doc(hidden)]
    #[must_use]
    pub fn entry<C>(self, call: C) -> PromptEntry
    where
        C: Fn(TextCall<'_>) -> Result<Reply<GetPromptResult>, Rejection> + Send + Sync + 'static,
    {
        let name = self.entry.prompt.name.clone();
        let held_thread = Arc::<HeldThread>::default();
        let mut entry = self.entry;
        entry.handler = Arc::new(move |incoming: PromptCall<'_>| {
            let incoming = TextCall {
                texts: incoming.arguments,
                context: incoming.context,
            };
            let reply = run(&name, &held_thread, || call(incoming));
            reply.unwrap_or_else(|rejection| Reply::Ready(GetPromptResult::rejected(rejection)))
        });
        entry
    }
}

impl<A> PromptBuilder<A> {
    /// The same with other arguments, and its own.
    fn replace<B>(self, arguments: B) -> (PromptBuilder<B>, A) {
        let entry = self.entry;
        (PromptBuilder { entry, arguments }, self.arguments)
    }
}

impl Declares for PromptBuilder {
    fn argument<T>(&mut self, argument: TextArgument<T>) -> TextArgument<T> {
        Self::argument(self, argument)
    }
}

impl<A: TextArguments> PromptBuilder<A> {
    /// Serves each request by a function that answers at once.
    pub fn call<R: IntoPromptResult>(
        self,
        function: impl Fn(A::Values, &Context) -> R + Send + Sync + 'static,
    ) -> PromptEntry {
        let (builder, arguments) = self.replace(());
        builder.entry(move |call: TextCall<'_>| {
            let values = arguments.read(&call)?;
            Ok(Reply::Ready(
                function(values, call.context).into_prompt_result(),
            ))
        })
    }

    /// Serves each request by a function that answers later.
    pub fn call_async<F>(
        self,
        function: impl Fn(A::Values, Context) -> F + Send + Sync + 'static,
    ) -> PromptEntry
    where
        F: Future<Output: IntoPromptResult> + Send + 'static,
    {
        let (builder, arguments) = self.replace(());
        builder.entry(move |call: TextCall<'_>| {
            let values = arguments.read(&call)?;
            let future = function(values, call.context.clone());
            Ok(Reply::Pending(Box::pin(async move {
                future.await.into_prompt_result()
            })))
        })
    }
}

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
