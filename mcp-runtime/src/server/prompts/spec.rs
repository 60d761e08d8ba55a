//! Describes a prompt step by step, and makes a route of it.

use mcp_types::{GetPromptResult, Prompt, PromptArgument};

use super::route::PromptRoute;
use crate::server::Reply;
use crate::server::completions::{Completer, Completers};
use crate::server::handler::run::Rejection;
use crate::server::handler::text::{TextArgument, TextCall};
use crate::server::icon::IntoIcon;
use crate::server::meta_keys;
use crate::server::metadata::IntoMeta;

/// A prompt while it is being described.
#[derive(Debug)]
pub struct PromptSpec {
    prompt: Prompt,
    completers: Completers,
}

impl PromptSpec {
    /// A prompt called `name` that takes nothing.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            prompt: Prompt::new(name),
            completers: Completers::default(),
        }
    }

    /// Says what the prompt is for.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.prompt.description = Some(text.into());
        self
    }

    /// Gives the prompt a name for people.
    #[must_use]
    pub fn title(mut self, text: impl Into<String>) -> Self {
        self.prompt.title = Some(text.into());
        self
    }

    /// Adds pictures of the prompt, given as icons or as their URLs.
    #[must_use]
    pub fn icons<I: IntoIcon>(mut self, icons: impl IntoIterator<Item = I>) -> Self {
        self.prompt.icons = Some(icons.into_iter().map(I::into_icon).collect());
        self
    }

    /// Adds metadata, for clients that know its keys.
    ///
    /// # Panics
    ///
    /// When a key is none that servers may use (2026-07-28, "Overview", section `_meta`).
    #[must_use]
    pub fn meta(mut self, meta: impl IntoMeta) -> Self {
        self.prompt.meta = Some(meta_keys::checked(meta.into_meta()));
        self
    }

    /// Adds an argument.
    pub fn argument<T>(&mut self, mut argument: TextArgument<T>) -> TextArgument<T> {
        let mut listed = PromptArgument::new(argument.name).with_required(argument.is_required());
        listed.description = argument.description.take().map(Into::into);
        if let Some(completer) = argument.completer.take() {
            self.complete(argument.name, completer);
        }
        self.prompt.arguments.get_or_insert_default().push(listed);
        argument
    }

    /// Suggests values of an argument.
    #[doc(hidden)]
    pub fn complete(&mut self, argument: &'static str, completer: Completer) {
        self.completers.add(argument, completer);
    }

    /// Closes the description; `call` serves each request.
    #[doc(hidden)]
    #[must_use]
    pub fn route<C>(self, call: C) -> PromptRoute
    where
        C: Fn(TextCall<'_>) -> Result<Reply<GetPromptResult>, Rejection> + Send + Sync + 'static,
    {
        let mut route = PromptRoute::new(self.prompt, move |incoming| {
            call(TextCall::from(incoming))
                .unwrap_or_else(|rejection| Reply::Ready(Err(rejection.into_error())))
        });
        route.completers = self.completers;
        route
    }
}
