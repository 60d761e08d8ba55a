//! One prompt: what is listed, and what is asked for.

use std::borrow::Cow;
use std::fmt;

use mcp_types::{GetPromptResult, Prompt};

use crate::server::completions::completer::completer;
use crate::server::completions::{Completers, CompletionRequest, IntoCompletion};
use crate::server::handler::text::{TextCall, Texts};
use crate::server::routes::Named;
use crate::server::{Context, Reply, Server};

/// A prompt that a server offers.
pub struct PromptRoute {
    pub(super) prompt: Prompt,
    pub(super) handler: Box<Handler>,
    pub(in crate::server) completers: Completers,
    /// Who may see the prompt; everybody, if it is absent.
    pub(super) visible: Option<Box<Visible>>,
    /// The mounted server that the prompt belongs to.
    pub(super) home: Option<Server>,
}

type Visible = dyn Fn(&Context) -> bool + Send + Sync;
type Handler = dyn Fn(PromptCall<'_>) -> Reply<GetPromptResult> + Send + Sync;

/// A prompt that somebody asked for.
#[derive(Clone, Copy, Debug)]
pub struct PromptCall<'a> {
    /// The arguments by name.
    pub arguments: &'a Texts,
    /// Who asks, and under what was negotiated.
    pub context: &'a Context,
}

impl PromptRoute {
    /// A prompt that is listed as `prompt` and served by `handler`.
    pub fn new(
        prompt: Prompt,
        handler: impl Fn(PromptCall<'_>) -> Reply<GetPromptResult> + Send + Sync + 'static,
    ) -> Self {
        Self {
            prompt,
            handler: Box::new(handler),
            completers: Completers::default(),
            visible: None,
            home: None,
        }
    }

    /// Shows the prompt only to callers for whom `visible` returns `true`; for others it does not
    /// exist.
    #[must_use]
    pub fn visible_to(
        mut self,
        visible: impl Fn(&Context) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.visible = Some(Box::new(visible));
        self
    }

    pub(super) fn is_visible(&self, context: &Context) -> bool {
        self.visible.as_ref().is_none_or(|visible| visible(context))
    }

    /// Suggests values of an argument while somebody types it.
    #[must_use]
    pub fn complete<F>(
        mut self,
        argument: impl Into<Cow<'static, str>>,
        function: impl Fn(CompletionRequest) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output: IntoCompletion> + Send + 'static,
    {
        self.completers.add(argument, completer(function));
        self
    }
}

impl<'a> From<PromptCall<'a>> for TextCall<'a> {
    fn from(call: PromptCall<'a>) -> Self {
        Self {
            texts: call.arguments,
            context: call.context,
        }
    }
}

impl Named for PromptRoute {
    fn name(&self) -> &str {
        &self.prompt.name
    }
}

impl fmt::Debug for PromptRoute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PromptRoute")
            .field(&self.prompt.name)
            .finish()
    }
}
