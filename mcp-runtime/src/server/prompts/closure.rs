//! Prompts made of closures.

use super::result::IntoPromptResult;
use super::route::PromptRoute;
use super::spec::PromptSpec;
use crate::server::handler::text::{TextArgument, TextCall};
use crate::server::handler::tuple::{Declares, TextArguments};
use crate::server::{Context, Reply};

/// A prompt whose arguments are known, and that waits for its function.
///
/// ```
/// use mcp_runtime::Server;
/// use mcp_runtime::server::prompts::{PromptSpec, argument, optional};
///
/// let title = argument::<String>("title").complete(async |_| vec!["Emma", "Persuasion"]);
/// let mut server = Server::builder();
/// server.prompt(
///     PromptSpec::new("summary")
///         .description("Summarises one book.")
///         .arguments((title, optional::<u32>("words")))
///         .call(|(title, words), _| {
///             format!("Summarise {title} in {} words.", words.unwrap_or(100))
///         }),
/// );
/// # drop(server.build());
/// ```
#[derive(Debug)]
pub struct PromptClosure<A> {
    spec: PromptSpec,
    arguments: A,
}

impl Declares for PromptSpec {
    fn argument<T>(&mut self, argument: TextArgument<T>) -> TextArgument<T> {
        Self::argument(self, argument)
    }
}

impl PromptSpec {
    /// Adds arguments; the order is the one that `prompts/list` shows.
    pub fn arguments<A: TextArguments>(mut self, arguments: A) -> PromptClosure<A> {
        let arguments = arguments.declare(&mut self);
        PromptClosure {
            spec: self,
            arguments,
        }
    }
}

impl<A: TextArguments> PromptClosure<A> {
    /// Serves each request by a function that answers at once.
    pub fn call<R: IntoPromptResult>(
        self,
        function: impl Fn(A::Values, &Context) -> R + Send + Sync + 'static,
    ) -> PromptRoute {
        self.spec.route(move |call: TextCall<'_>| {
            let values = self.arguments.read(&call)?;
            Ok(Reply::Ready(
                function(values, call.context).into_prompt_result(),
            ))
        })
    }

    /// Serves each request by a function that answers later.
    pub fn call_async<F>(
        self,
        function: impl Fn(A::Values, Context) -> F + Send + Sync + 'static,
    ) -> PromptRoute
    where
        F: Future<Output: IntoPromptResult> + Send + 'static,
    {
        self.spec.route(move |call: TextCall<'_>| {
            let values = self.arguments.read(&call)?;
            let future = function(values, call.context.clone());
            Ok(Reply::Pending(Box::pin(async move {
                future.await.into_prompt_result()
            })))
        })
    }
}
