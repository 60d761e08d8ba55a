//! The lists of resources and templates, for everybody or for one caller.

use std::sync::Arc;

use mcp_types::jsonrpc::PreparedResult;
use mcp_types::{
    ListResourceTemplatesResult, ListResourcesResult, Resource, ResourceTemplate, Revision,
};

use super::Resources;
use super::route::{Listed, ResourceRoute};
use crate::ProtocolError;
use crate::protocol::Refusal;
use crate::server::cursor::{Pageable, Place};
use crate::server::pages::cut;
use crate::server::routes::Routes;
use crate::server::visibility::Visibility;
use crate::server::{BoxFuture, Context, Reply};

/// Who looks at resources.
#[derive(Clone, Copy)]
pub(in crate::server) struct Viewer<'a> {
    revision: Revision,
    /// Absent where everybody sees the same.
    pub(super) context: Option<&'a Context>,
}

/// The answer to a request for a list.
pub(in crate::server) enum Listing<T> {
    /// Always the same.
    Prepared(PreparedResult),
    /// Made anew: for one caller, or because templates are asked what they stand for.
    Made(Reply<T>),
}

/// What a template is asked for: its number, itself, and what it finds.
type Expansion = (u64, Arc<ResourceRoute>, BoxFuture<Vec<Resource>>);

impl<'a> Viewer<'a> {
    pub(in crate::server) fn new(revision: Revision, context: Option<&'a Context>) -> Self {
        Self { revision, context }
    }

    /// What is said where nothing is found under `uri`, or nothing for this viewer.
    pub(super) fn not_found(self, uri: &str) -> Refusal {
        Refusal::ResourceNotFound {
            uri: uri.to_owned(),
            revision: self.revision,
        }
    }
}

impl Resources {
    /// A page of what `resources/list` shows.
    ///
    /// # Errors
    ///
    /// When `cursor` was not given out for this list.
    pub(in crate::server) fn list(
        &self,
        cursor: Option<&str>,
        viewer: Viewer<'_>,
    ) -> Result<Listing<ListResourcesResult>, Refusal> {
        let listers = self.routes.shared();
        let listers: Vec<Expansion> = listers
            .filter_map(|(serial, route)| {
                let found = route.lister.as_ref()?();
                Some((serial, Arc::clone(route), found))
            })
            .collect();
        if !listers.is_empty() || viewer.context.is_some() {
            let page = self.expanded(listers, cursor, viewer.context.cloned());
            return Ok(Listing::Made(Reply::Pending(page)));
        }
        let page = self.pages.get(cursor, viewer.revision, |range, next| {
            let shown = fixed(&self.routes).skip(range.start).take(range.len());
            let mut result = ListResourcesResult::new(shown.map(|(_, it, _)| it.clone()));
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
        listers: Vec<Expansion>,
        cursor: Option<&str>,
        viewer: Option<Context>,
    ) -> BoxFuture<Result<ListResourcesResult, ProtocolError>> {
        let mut items: Vec<_> = fixed(&self.routes)
            .filter(|(_, resource, route)| {
                let viewer = viewer.as_ref();
                viewer.is_none_or(|viewer| self.shows(route, &resource.uri, viewer))
            })
            .map(|(serial, resource, _)| (Place::of(serial), resource.clone()))
            .collect();
        let (caching, size) = (self.caching.clone(), self.page_size);
        let visibility = self.visibility.clone();
        let cursor = cursor.map(str::to_owned);
        Box::pin(async move {
            for (serial, route, lister) in listers {
                let mut found = lister.await;
                if let Some(viewer) = &viewer {
                    found.retain(|it| is_shown(&route, &it.uri, viewer, &visibility));
                }
                if size.is_some() {
                    found.sort_unstable_by(|one, other| one.uri.cmp(&other.uri));
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
            Ok(match viewer {
                Some(_) => caching.mark_private(result),
                None => caching.mark(result),
            })
        })
    }

    /// A page of what `resources/templates/list` shows; written once a revision, unless callers
    /// see different ones.
    ///
    /// # Errors
    ///
    /// When `cursor` was not given out for this list.
    pub(in crate::server) fn templates(
        &self,
        cursor: Option<&str>,
        viewer: Viewer<'_>,
    ) -> Result<Listing<ListResourceTemplatesResult>, Refusal> {
        if let Some(viewer) = viewer.context {
            let shown = templates(&self.routes)
                .filter(|(_, it, route)| self.shows(route, &it.uri_template, viewer))
                .map(|(serial, template, _)| (Place::of(serial), template.clone()));
            let (shown, next) = cut(shown.collect(), Pageable::Templates, cursor, self.page_size)?;
            let mut result = ListResourceTemplatesResult::new(shown);
            result.next_cursor = next;
            let result = self.caching.mark_private(result);
            return Ok(Listing::Made(Reply::Ready(Ok(result))));
        }
        let page = self
            .template_pages
            .get(cursor, viewer.revision, |range, next| {
                let shown = templates(&self.routes).skip(range.start).take(range.len());
                let shown = shown.map(|(_, template, _)| template.clone());
                let mut result = ListResourceTemplatesResult::new(shown);
                result.next_cursor = next;
                self.caching.mark(result)
            })?;
        Ok(Listing::Prepared(page))
    }
}

/// Whether the caller of `context` may see what `uri` names, which `route` serves.
pub(super) fn is_shown(
    route: &ResourceRoute,
    uri: &str,
    context: &Context,
    visibility: &Visibility<str>,
) -> bool {
    route.is_visible(uri, context) && visibility.shows(uri, context)
}

/// The resources that have a URI of their own, with their numbers.
pub(super) fn fixed(
    routes: &Routes<ResourceRoute>,
) -> impl Iterator<Item = (u64, &Resource, &ResourceRoute)> {
    routes
        .numbered()
        .filter_map(|(serial, route)| match &route.listed {
            Listed::Resource(resource) => Some((serial, &**resource, route)),
            Listed::Template(_) => None,
        })
}

/// The templates, with their numbers.
pub(super) fn templates(
    routes: &Routes<ResourceRoute>,
) -> impl Iterator<Item = (u64, &ResourceTemplate, &ResourceRoute)> {
    routes
        .numbered()
        .filter_map(|(serial, route)| match &route.listed {
            Listed::Resource(_) => None,
            Listed::Template(template) => Some((serial, &**template, route)),
        })
}
