//! The resources of a server: listed in order, found by URI.

use std::sync::Arc;

use mcp_types::{
    CompleteRequestParams, CompleteResult, ListResourceTemplatesResult, ListResourcesResult,
    RawJson, RawJsonRef, ReadResourceRequestParamsRef, ReadResourceResult, Revision,
};

use super::ResourceCall;
use super::route::{Listed, ResourceRoute};
use crate::protocol::{Refusal, decode_params};
use crate::server::caching::Caching;
use crate::server::handler::text::Texts;
use crate::server::prepared::Prepared;
use crate::server::routes::Routes;
use crate::server::{BoxFuture, Context, Reply};

/// The resources of a server, and the templates of resources.
#[derive(Debug)]
pub(in crate::server) struct Resources {
    routes: Routes<ResourceRoute>,
    list: Prepared,
    caching: Caching,
    templates: Prepared,
}

/// The answer to `resources/list`.
pub(in crate::server) enum Listing {
    /// Always the same.
    Prepared(Arc<RawJson>),
    /// Made anew, because templates are asked what they stand for.
    Made(BoxFuture<ListResourcesResult>),
}

impl Resources {
    pub(in crate::server) fn new(declared: Vec<ResourceRoute>, caching: Caching) -> Self {
        Self {
            routes: Routes::new(declared),
            list: Prepared::default(),
            caching,
            templates: Prepared::default(),
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

    /// The answer to `resources/list`.
    pub(in crate::server) fn list(&self, revision: Revision) -> Listing {
        let listers: Vec<_> = self
            .routes
            .iter()
            .filter_map(|route| route.lister.as_ref())
            .collect();
        if listers.is_empty() {
            return Listing::Prepared(self.list.get(revision, || self.fixed()));
        }
        let mut result = self.fixed();
        let futures: Vec<_> = listers.into_iter().map(|lister| lister()).collect();
        Listing::Made(Box::pin(async move {
            for future in futures {
                result.resources.extend(future.await);
            }
            result
        }))
    }

    /// The resources that have a URI of their own.
    fn fixed(&self) -> ListResourcesResult {
        let resources = self.routes.iter().filter_map(|route| match &route.listed {
            Listed::Resource(resource) => Some((**resource).clone()),
            Listed::Template(_) => None,
        });
        self.caching.mark(ListResourcesResult::new(resources))
    }

    /// The answer to `resources/templates/list`, written once a revision.
    pub(in crate::server) fn templates(&self, revision: Revision) -> Arc<RawJson> {
        self.templates.get(revision, || {
            let listed = self.routes.iter().filter_map(|route| match &route.listed {
                Listed::Resource(_) => None,
                Listed::Template(template) => Some((**template).clone()),
            });
            self.caching.mark(ListResourceTemplatesResult::new(listed))
        })
    }

    /// Answers `resources/read`.
    ///
    /// # Errors
    ///
    /// When the parameters do not fit, or nothing is found under the URI.
    pub(in crate::server) fn read(
        &self,
        params: Option<RawJsonRef<'_>>,
        revision: Revision,
        context: impl FnOnce(Option<RawJsonRef<'_>>) -> Context,
    ) -> Result<Reply<ReadResourceResult>, Refusal> {
        let params: ReadResourceRequestParamsRef<'_> = decode_params(params)?;
        let uri = &*params.uri;
        let (route, variables) = self.find(uri).ok_or_else(|| Refusal::ResourceNotFound {
            uri: uri.to_owned(),
            revision,
        })?;
        let context = context(params.meta);
        let reply = (route.handler)(ResourceCall {
            uri,
            variables: &variables,
            context: &context,
        });
        let (uri, mime_type) = (uri.to_owned(), route.mime_type());
        Ok(match reply {
            Reply::Ready(contents) => Reply::Ready(
                contents.and_then(|contents| contents.answer(uri, mime_type, revision)),
            ),
            Reply::Pending(future) => Reply::Pending(Box::pin(async move {
                future.await?.answer(uri, mime_type, revision)
            })),
        })
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
    /// When there is no such template.
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
        Ok(route.completers.complete(params))
    }
}
