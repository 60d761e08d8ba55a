//! The resources of a server: listed in order, found by URI.

use std::num::NonZeroUsize;

use mcp_types::{
    CompleteRequestParams, CompleteResult, RawJsonRef, ReadResourceRequestParamsRef,
    ReadResourceResult, Revision,
};

use super::lists::is_shown;
use super::route::{Listed, ResourceRoute};
use super::{ResourceCall, Viewer};
use crate::protocol::{Refusal, decode_params};
use crate::server::ask::Retry;
use crate::server::caching::Caching;
use crate::server::cursor::Pageable;
use crate::server::handler::text::Texts;
use crate::server::pages::Pages;
use crate::server::routes::Routes;
use crate::server::settings::Settings;
use crate::server::visibility::Visibility;
use crate::server::{Context, Reply};

/// The resources of a server, and the templates of resources.
#[derive(Debug)]
pub(in crate::server) struct Resources {
    pub(super) routes: Routes<ResourceRoute>,
    pub(super) pages: Pages,
    pub(super) template_pages: Pages,
    pub(super) page_size: Option<NonZeroUsize>,
    pub(super) caching: Caching,
    pub(super) visibility: Visibility<str>,
}

impl Resources {
    pub(in crate::server) fn new(routes: Routes<ResourceRoute>, settings: &Settings) -> Self {
        let size = settings.page_size;
        let (mut resources, mut templates) = (Vec::new(), Vec::new());
        for (serial, route) in routes.numbered() {
            match route.listed {
                Listed::Resource(_) => resources.push(serial),
                Listed::Template(_) => templates.push(serial),
            }
        }
        Self {
            pages: Pages::new(Pageable::Resources, size, resources),
            template_pages: Pages::new(Pageable::Templates, size, templates),
            routes,
            page_size: size,
            caching: settings.caching.clone(),
            visibility: settings.resource_visibility.clone(),
        }
    }

    pub(in crate::server) fn is_empty(&self) -> bool {
        self.routes.all().is_empty()
    }

    pub(in crate::server) fn has_completers(&self) -> bool {
        let mut routes = self.routes.all().iter();
        routes.any(|route| !route.completers.is_empty())
    }

    pub(in crate::server) fn has_subscribable(&self) -> bool {
        self.routes.all().iter().any(|route| route.subscribable)
    }

    /// Whether callers may see different resources.
    pub(in crate::server) fn differ_by_caller(&self) -> bool {
        let mut routes = self.routes.all().iter();
        self.visibility.is_limited() || routes.any(|it| it.visible.is_some())
    }

    /// Whether the caller of `context` may see what `uri` names, which `route` serves.
    pub(super) fn shows(&self, route: &ResourceRoute, uri: &str, context: &Context) -> bool {
        is_shown(route, uri, context, &self.visibility)
    }

    /// What serves `uri`, unless the caller of `context` may not know of it.
    fn find_for(&self, uri: &str, context: Option<&Context>) -> Option<(&ResourceRoute, Texts)> {
        let shows = |route| context.is_none_or(|context| self.shows(route, uri, context));
        self.find(uri).filter(|(route, _)| shows(route))
    }

    /// Whether clients may subscribe to what is found under `uri`.
    pub(in crate::server) fn is_subscribable(&self, uri: &str, context: Option<&Context>) -> bool {
        let found = self.find_for(uri, context);
        found.is_some_and(|(route, _)| route.subscribable)
    }

    /// Tells what serves `uri` that somebody wants to know of its changes.
    pub(in crate::server) fn wanted(&self, uri: &str) {
        if let Some((route, _)) = self.find(uri)
            && let Some(wanted) = &route.wanted
        {
            wanted(uri);
        }
    }

    /// Checks that clients may subscribe to `uri`.
    ///
    /// # Errors
    ///
    /// When nothing is found there, or nothing that announces its changes.
    pub(in crate::server) fn check_subscribable(
        &self,
        uri: &str,
        viewer: Viewer<'_>,
    ) -> Result<(), Refusal> {
        if self.is_subscribable(uri, viewer.context) {
            return Ok(());
        }
        Err(match self.find_for(uri, viewer.context) {
            Some(_) => Refusal::InvalidParams {
                path: "params.uri".to_owned(),
                reason: format!("the resource `{uri}` does not announce its changes"),
            },
            None => viewer.not_found(uri),
        })
    }

    /// Answers `resources/read`.
    ///
    /// # Errors
    ///
    /// When the parameters do not fit, or nothing is found under the URI.
    pub(in crate::server) fn read<'c>(
        &self,
        params: Option<RawJsonRef<'_>>,
        revision: Revision,
        context: impl FnOnce(Option<RawJsonRef<'_>>, Retry<'_>) -> Result<&'c Context, Refusal>,
    ) -> Result<Reply<ReadResourceResult>, Refusal> {
        let params: ReadResourceRequestParamsRef<'_> = decode_params(params)?;
        let uri = &*params.uri;
        let (route, variables) = self.find(uri).ok_or_else(|| Refusal::ResourceNotFound {
            uri: uri.to_owned(),
            revision,
        })?;
        let retry = Retry {
            responses: params.input_responses,
            state: params.request_state.as_deref(),
        };
        let context = context(params.meta, retry)?;
        if !self.shows(route, uri, context) {
            return Err(Viewer::new(revision, Some(context)).not_found(uri));
        }
        let reply = (route.handler)(ResourceCall {
            uri,
            variables: &variables,
            context,
        });
        let (uri, mime_type, caching) = (uri.to_owned(), route.mime_type(), route.caching.clone());
        Ok(reply.then(move |contents| {
            let answer = contents.answer(uri.clone(), mime_type.clone(), revision)?;
            Ok(caching.mark(answer))
        }))
    }

    /// Whether something is found under `uri`.
    pub(in crate::server) fn has(&self, uri: &str) -> bool {
        self.find(uri).is_some()
    }

    /// The route of a URI: the one that has it as its own, else the first template that matches.
    fn find(&self, uri: &str) -> Option<(&ResourceRoute, Texts)> {
        if let Some(route) = self.routes.get(uri)
            && route.template.is_literal()
        {
            return Some((route, Texts::new()));
        }
        let mut routes = self.routes.all().iter();
        routes.find_map(|route| Some((&**route, route.template.matches(uri)?)))
    }

    /// Completes a variable of the template `uri`.
    ///
    /// # Errors
    ///
    /// When there is no such template, or no such variable.
    pub(in crate::server) fn complete(
        &self,
        uri: &str,
        params: CompleteRequestParams,
        viewer: Viewer<'_>,
    ) -> Result<Reply<CompleteResult>, Refusal> {
        let route = self
            .routes
            .get(uri)
            .or_else(|| self.find(uri).map(|(route, _)| route));
        let shows = |route: &&ResourceRoute| {
            let context = viewer.context;
            context.is_none_or(|context| self.shows(route, uri, context))
        };
        let route = route.filter(shows).ok_or_else(|| viewer.not_found(uri))?;
        let variables = route.template.variables();
        route.completers.complete(params, Some(&variables))
    }
}
