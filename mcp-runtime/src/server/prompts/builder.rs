//! Builds the entry of a prompt from a description and a function.

use std::sync::Arc;

use mcp_types::{GetPromptResult, Prompt, PromptArgument};

use super::{IntoPromptResult, PromptCall, PromptEntry};
use crate::advice::HeldThread;
use crate::error::RequestError;
use crate::server::completions::Completer;
use crate::server::handler::{
    CallRejection, CallResult, Declares, TextArgument, TextArguments, TextCall, pending, ready, run,
};
use crate::server::{Context, Reply};

/// Builds the entry of a prompt from a description and a function.
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
    /// Begins a prompt called `name` without arguments.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        let nothing = |_: PromptCall<'_>| Reply::Ready(Err(RequestError::Internal.to_error()));
        Self {
            entry: PromptEntry::new(Prompt::new(name), nothing),
            arguments: (),
        }
    }

    /// Adds arguments, in the order in which `prompts/list` shows them.
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

    /// Completes `argument` with `completer`.
    #[doc(hidden)]
    pub fn complete(&mut self, argument: &'static str, completer: Completer) {
        self.entry.completers.add(argument, completer);
    }

    /// Returns the entry, with `call` as its handler.
    #[doc(hidden)]
    #[must_use]
    pub fn entry<C>(self, call: C) -> PromptEntry
    where
        C: Fn(TextCall<'_>) -> Result<Reply<GetPromptResult>, CallRejection>
            + Send
            + Sync
            + 'static,
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
    /// Serves requests with a function that returns the result.
    pub fn call<R: IntoPromptResult>(
        self,
        function: impl Fn(A::Values, &Context) -> R + Send + Sync + 'static,
    ) -> PromptEntry {
        let (builder, arguments) = self.replace(());
        builder.entry(move |call: TextCall<'_>| {
            let values = arguments.read(&call)?;
            ready(R::into_prompt_result, function(values, call.context))
        })
    }

    /// Serves requests with an async function.
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
            pending(F::Output::into_prompt_result, future)
        })
    }
}
