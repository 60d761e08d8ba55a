//! Prompts as entries of the catalogue, `prompts/get`, and the completion of their arguments.

use std::sync::Arc;

use mcp_types::{
    CompleteRequestParams, CompleteResult, GetPromptResult, ListPromptsResult, Prompt, RawJsonRef,
    Revision,
};

use super::{PromptCall, PromptRoute};
use crate::error::RequestError;
use crate::protocol::invalid_params;
use crate::server::catalog::{Catalog, Entry, ListResult, Mount, Visibility};
use crate::server::completions::Completers;
use crate::server::dispatch::ServerRequest;
use crate::server::handler::text::Texts;
use crate::server::{Context, Reply};

impl Entry for PromptRoute {
    fn name(&self) -> &str {
        &self.prompt.name
    }

    fn visibility(&self) -> &Visibility<Self> {
        &self.visibility
    }

    fn completers(&self) -> Option<&Completers> {
        Some(&self.completers)
    }

    fn mounted(inner: &Arc<Self>, mount: &Arc<Mount>, visibility: Visibility<Self>) -> Self {
        let mut prompt = inner.prompt.clone();
        prompt.name = mount.namespace.name(&prompt.name);
        let home = mount.home(inner.home.as_ref());
        let (serving, at, mount) = (Arc::clone(inner), home.clone(), Arc::clone(mount));
        let mut route = Self::new(prompt, move |call: PromptCall<'_>| {
            call.context.serve_at(&at);
            let mount = Arc::clone(&mount);
            (serving.handler)(call).then(move |result| Ok(mount.prompt_result(result)))
        });
        route.completers = inner.completers.clone();
        route.visibility = visibility;
        route.home = Some(home);
        route
    }
}

impl ListResult for ListPromptsResult {
    type Entry = PromptRoute;
    type Item = Prompt;

    const NUMBER: u8 = 1;

    fn item(route: &PromptRoute, _: Revision) -> Option<Prompt> {
        Some(route.prompt.clone())
    }

    fn page(prompts: Vec<Prompt>, next_cursor: Option<String>) -> Self {
        let mut page = Self::new(prompts);
        page.next_cursor = next_cursor;
        page
    }
}

impl Catalog<PromptRoute> {
    /// Answers `prompts/get`.
    ///
    /// # Errors
    ///
    /// When the parameters do not fit, or there is no such prompt.
    pub(in crate::server) fn call(
        &self,
        request: ServerRequest<'_>,
    ) -> Result<Reply<GetPromptResult>, RequestError> {
        let name = request.params.name()?;
        let arguments = request.params.raw_arguments();
        let arguments = arguments.unwrap_or(RawJsonRef::empty_object());
        let arguments: Texts = arguments
            .parse()
            .map_err(|error| invalid_params("params.arguments", arguments.get(), &error))?;
        let context = request.context;
        let Some(route) = self.get_for(&name, context) else {
            return Err(RequestError::UnknownPrompt(name.into_owned()));
        };
        Ok((route.handler)(PromptCall {
            arguments: &arguments,
            context,
        }))
    }

    /// Completes an argument of the prompt called `name`.
    ///
    /// # Errors
    ///
    /// When there is no such prompt for the caller of `context`, or no such argument.
    pub(in crate::server) fn complete(
        &self,
        name: &str,
        params: CompleteRequestParams,
        context: &Context,
    ) -> Result<Reply<CompleteResult>, RequestError> {
        let Some(route) = self.get_for(name, context) else {
            return Err(RequestError::UnknownPrompt(name.to_owned()));
        };
        let arguments = route.prompt.arguments.iter().flatten();
        let arguments: Vec<_> = arguments.map(|argument| &*argument.name).collect();
        route.completers.complete(params, &arguments)
    }
}
