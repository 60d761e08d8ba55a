//! The resources of a server: listed in order, found by URI.

use std::num::NonZeroUsize;

use mcp_types::jsonrpc::PreparedResult;
use mcp_types::{
    CompleteRequestParams, CompleteResult, ListResourceTemplatesResult, ListResourcesResult,
    RawJsonRef, ReadResourceRequestParamsRef, ReadResourceResult, Resource, ResourceTemplate,
    Revision,
};

use super::route::{Listed, ResourceRoute};
use super::{Contents, ResourceCall};
use crate::ProtocolError;
use crate::protocol::{Refusal, decode_params};
use crate::server::ask::Retry;
use crate::server::caching::Caching;
use crate::server::cursor::{Pageable, Place};
use crate::server::handler::text::Texts;
use crate::server::pages::{Pages, cut};
use crate::server::routes::Routes;
use crate::server::settings::Settings;
use crate::server::{BoxFuture, Context, Reply};

/// The resources of a server, and the templates of resources.
#[derive(Debug)]
pub(in crate::server) struct Resources {
    routes: Routes<ResourceRoute>,
    pages: Pages,
    template_pages: Pages,
    page_size: Option<NonZeroUsize>,
    caching: Caching,
}

/// The answer to `resources/list`.
pub(in crate::server) enum Listing {
    /// Always the same.
    Prepared(PreparedResult),
    /// Made anew, because templates are asked what they stand for.
    Made(BoxFuture<Result<ListResourcesResult, ProtocolError>>),
}

impl Resources {
    pub(in crate::server) fn new(routes: Routes<ResourceRoute>, settings: &Settings) -> Self {
        let size = settings.page_size;
        let resources = fixed(&routes).map(|(serial, _)| serial).collect();
        let templates = templates(&routes).map(|(serial, _)| serial).collect();
        Self {
            pages: Pages::new(Pageable::Resources, size, resources),
            template_pages: Pages::new(Pageable::Templates, size, templates),
            routes,
            page_size: size,
            caching: settings.caching.clone(),
        }
    }

    pub(in crate::server) fn is_empty(&self) -> bool {
        self.routes.is_empty()
    }

    pub(in crate::server) fn has_completers(&self) -> bool {
        self.routes.iter().any(|route| !route.completers.is_empty())
    }

    pub(in crate::server) fn has_subscribable(&self) -> bool {
        self.routes.iter().any(|route| route.subscribable)
    }

    /// Whether clients may subscribe to what is found under `uri`.
    pub(in crate::server) fn is_subscribable(&self, uri: &str) -> bool {
        self.find(uri).is_some_and(|(route, _)| route.subscribable)
    }

    /// Checks that clients may subscribe to `uri`.
    ///
    /// # Errors
    ///
    /// When nothing is found there, or nothing that announces its changes.
    pub(in crate::server) fn check_subscribable(
        &self,
        uri: &str,
        revision: Revision,
    ) -> Result<(), Refusal> {
        if self.is_subscribable(uri) {
            return Ok(());
        }
        Err(match self.find(uri) {
            Some(_) => Refusal::InvalidParams {
                path: "params.uri".to_owned(),
                reason: format!("the resource `{uri}` does not announce its changes"),
            },
            None => Refusal::ResourceNotFound {
                uri: uri.to_owned(),
                revision,
            },
        })
    }

    /// A page of what `resources/list` shows.
    ///
    /// # Errors
    ///
    /// When `cursor` was not given out for this list.
    pub(in crate::server) fn list(
        &self,
        cursor: Option<&str>,
        revision: Revision,
    ) -> Result<Listing, Refusal> {
        let listers: Vec<_> = self
            .routes
            .numbered()
            .filter_map(|(serial, route)| Some((serial, route.lister.as_ref()?())))
            .collect();
        if !listers.is_empty() {
            return Ok(Listing::Made(self.expanded(listers, cursor)));
        }
        let page = self.pages.get(cursor, revision, |range, next| {
            let shown = fixed(&self.routes).skip(range.start).take(range.len());
            let mut result = ListResourcesResult::new(shown.map(|(_, resource)| resource.clone()));
            result.next_cursor = next;
            self.caching.mark(result)
        })?;
        Ok(Listing::Prepared(page))
    }

    /// A page of the resources that have a URI of their own, and of what templates stand for.
    ///
    /// What a template stands for is put in the order of the URIs where there are pages: only so
    /// can the next one begin where the last one ended, whatever came and went meanwhile.
    fn expanded(
        &self,
        listers: Vec<(u64, BoxFuture<Vec<Resource>>)>,
        cursor: Option<&str>,
    ) -> BoxFuture<Result<ListResourcesResult, ProtocolError>> {
        let mut items: Vec<_> = fixed(&self.routes)
            .map(|(serial, resource)| (Place::of(serial), resource.clone()))
            .collect();
        let (caching, size) = (self.caching.clone(), self.page_size);
        let cursor = cursor.map(str::to_owned);
        Box::pin(async move {
            for (serial, lister) in listers {
                let mut found = lister.await;
                if size.is_some() {
                    found.sort_by(|one, other| one.uri.cmp(&other.uri));
                    found.dedup_by(|one, other| one.uri == other.uri);
                }
                let placed = found.into_iter().map(|resource| {
                    let uri = resource.uri.clone();
                    (Place::expanded(serial, uri), resource)
                });
                items.extend(placed);
            }
            let (resources, next) = cut(items, Pageable::Resources, cursor.as_deref(), size)
                .map_err(|refusal| refusal.to_error())?;
            let mut result = ListResourcesResult::new(resources);
            result.next_cursor = next;
            Ok(caching.mark(result))
        })
    }

    /// A page of what `resources/templates/list` shows, written once a revision.
    ///
    /// # Errors
    ///
    /// When `cursor` was not given out for this list.
    pub(in crate::server) fn templates(
        &self,
        cursor: Option<&str>,
        revision: Revision,
    ) -> Result<PreparedResult, Refusal> {
        self.template_pages.get(cursor, revision, |range, next| {
            let shown = templates(&self.routes).skip(range.start).take(range.len());
            let shown = shown.map(|(_, template)| template.clone());
            let mut result = ListResourceTemplatesResult::new(shown);
            result.next_cursor = next;
            self.caching.mark(result)
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
        let reply = (route.handler)(ResourceCall {
            uri,
            variables: &variables,
            context,
        });
        let (uri, mime_type, caching) = (uri.to_owned(), route.mime_type(), route.caching.clone());
        let answer = move |contents: Contents| {
            let answer = contents.answer(uri, mime_type, revision)?;
            Ok(caching.mark(answer))
        };
        Ok(match reply {
            Reply::Ready(contents) => Reply::Ready(contents.and_then(answer)),
            Reply::Pending(future) => {
                Reply::Pending(Box::pin(async move { answer(future.await?) }))
            }
        })
    }

    /// Whether something is found under `uri`.
    pub(in crate::server) fn has(&self, uri: &str) -> bool {
        self.find(uri).is_some()
    }

    /// The route of a URI: the one that has it as its own, else the first template that matches.
    fn find(&self, uri: &str) -> Option<(&ResourceRoute, Texts)> {
        let own = self
            .routes
            .get(uri)
            .filter(|route| route.template.is_literal());
        own.map(|route| (route, Texts::new())).or_else(|| {
            self.routes
                .iter()
                .find_map(|route| Some((route, route.template.matches(uri)?)))
        })
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
        revision: Revision,
    ) -> Result<Reply<CompleteResult>, Refusal> {
        let route = self
            .routes
            .get(uri)
            .or_else(|| self.find(uri).map(|(route, _)| route));
        let route = route.ok_or_else(|| Refusal::ResourceNotFound {
            uri: uri.to_owned(),
            revision,
        })?;
        let variables: Vec<_> = route.template.variables().collect();
        route.completers.complete(params, Some(&variables))
    }
}

/// The resources that have a URI of their own, with their numbers.
fn fixed(routes: &Routes<ResourceRoute>) -> impl Iterator<Item = (u64, &Resource)> {
    routes
        .numbered()
        .filter_map(|(serial, route)| match &route.listed {
            Listed::Resource(resource) => Some((serial, &**resource)),
            Listed::Template(_) => None,
        })
}

/// The templates, with their numbers.
fn templates(routes: &Routes<ResourceRoute>) -> impl Iterator<Item = (u64, &ResourceTemplate)> {
    routes
        .numbered()
        .filter_map(|(serial, route)| match &route.listed {
            Listed::Resource(_) => None,
            Listed::Template(template) => Some((serial, &**template)),
        })
}
