//! The prompts of a server: listed in order, found by name.

use std::num::NonZeroUsize;
use std::sync::Arc;

use mcp_types::jsonrpc::PreparedResult;
use mcp_types::{
    CompleteRequestParams, CompleteResult, GetPromptResult, ListPromptsResult, Prompt, RawJsonRef,
    Revision,
};

use super::{PromptCall, PromptRoute};
use crate::error::RequestError;
use crate::protocol::invalid_params;
use crate::server::caching::Caching;
use crate::server::cursor::{Pageable, Place};
use crate::server::handler::text::Texts;
use crate::server::pages::{Pages, cut};
use crate::server::router::Admitted;
use crate::server::routes::Routes;
use crate::server::settings::Settings;
use crate::server::visibility::Visibility;
use crate::server::{Context, Reply};

/// The prompts of a server.
#[derive(Debug)]
pub(in crate::server) struct Prompts {
    routes: Routes<PromptRoute>,
    pages: Pages,
    page_size: Option<NonZeroUsize>,
    caching: Caching,
    visibility: Visibility<Prompt>,
}

impl Prompts {
    pub(in crate::server) fn new(routes: Routes<PromptRoute>, settings: &Settings) -> Self {
        let serials = routes.serials().to_vec();
        Self {
            pages: Pages::new(Pageable::Prompts, settings.page_size, serials),
            routes,
            page_size: settings.page_size,
            caching: settings.caching.clone(),
            visibility: settings.prompt_visibility.clone(),
        }
    }

    pub(in crate::server) fn is_empty(&self) -> bool {
        self.routes.all().is_empty()
    }

    pub(in crate::server) fn has_completers(&self) -> bool {
        let mut routes = self.routes.all().iter();
        routes.any(|route| !route.completers.is_empty())
    }

    /// A page of what `prompts/list` shows, written once a revision.
    ///
    /// # Errors
    ///
    /// When `cursor` was not given out for this list.
    pub(in crate::server) fn list(
        &self,
        cursor: Option<&str>,
        revision: Revision,
    ) -> Result<PreparedResult, RequestError> {
        let page = self.pages.page(cursor)?;
        Ok(page.written(revision, || {
            let routes = &self.routes.all()[page.items.clone()];
            self.caching.mark(result(routes, page.next.clone()))
        }))
    }

    /// Whether callers may see different prompts.
    pub(in crate::server) fn differ_by_caller(&self) -> bool {
        let mut routes = self.routes.all().iter();
        self.visibility.is_limited() || routes.any(|it| it.visible.is_some())
    }

    /// A page of what `prompts/list` shows to one caller.
    ///
    /// # Errors
    ///
    /// When `cursor` was not given out for this list.
    pub(in crate::server) fn list_for(
        &self,
        cursor: Option<&str>,
        context: &Context,
    ) -> Result<ListPromptsResult, RequestError> {
        let (mut places, mut shown) = (Vec::new(), Vec::new());
        for (serial, route) in self.routes.numbered() {
            if self.shows(route, context) {
                places.push(Place::of(serial));
                shown.push(Arc::clone(route));
            }
        }
        let (items, next) = cut(&places, Pageable::Prompts, cursor, self.page_size)?;
        Ok(self.caching.mark_private(result(&shown[items], next)))
    }

    fn shows(&self, route: &PromptRoute, context: &Context) -> bool {
        route.is_visible(context) && self.visibility.shows(&route.prompt, context)
    }

    /// Answers `prompts/get`.
    ///
    /// # Errors
    ///
    /// When the parameters do not fit, or there is no such prompt.
    pub(in crate::server) fn get(
        &self,
        request: Admitted<'_>,
    ) -> Result<Reply<GetPromptResult>, RequestError> {
        let name = request.params.name()?;
        let arguments = request.params.raw_arguments();
        let arguments = arguments.unwrap_or(RawJsonRef::empty_object());
        let arguments: Texts = arguments
            .parse()
            .map_err(|error| invalid_params("params.arguments", arguments.get(), &error))?;
        // Whatever is wrong with these is said before it is known whether there is such a prompt.
        let context = request.context()?;
        let route = self.find(&name)?;
        if !self.shows(route, context) {
            return Err(RequestError::UnknownPrompt(name.into_owned()));
        }
        Ok((route.handler)(PromptCall {
            arguments: &arguments,
            context,
        }))
    }

    /// Completes an argument of the prompt called `name`.
    ///
    /// # Errors
    ///
    /// When there is no such prompt, none for the caller of `context`, or no such argument.
    pub(in crate::server) fn complete(
        &self,
        name: &str,
        params: CompleteRequestParams,
        context: Option<&Context>,
    ) -> Result<Reply<CompleteResult>, RequestError> {
        let route = self.find(name)?;
        if !context.is_none_or(|context| self.shows(route, context)) {
            return Err(RequestError::UnknownPrompt(name.to_owned()));
        }
        let mut known = Vec::new();
        for argument in route.prompt.arguments.as_deref().unwrap_or_default() {
            known.push(argument.name.as_str());
        }
        route.completers.complete(params, Some(&known))
    }

    fn find(&self, name: &str) -> Result<&PromptRoute, RequestError> {
        let route = self.routes.get(name);
        route.ok_or_else(|| RequestError::UnknownPrompt(name.to_owned()))
    }
}

/// A page with these prompts.
fn result(routes: &[Arc<PromptRoute>], next: Option<String>) -> ListPromptsResult {
    let prompts = routes.iter().map(|route| route.prompt.clone());
    let mut result = ListPromptsResult::new(prompts);
    result.next_cursor = next;
    result
}
