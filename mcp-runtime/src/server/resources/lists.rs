//! The lists of resources and templates, for everybody or for one caller.

use std::sync::Arc;

use mcp_types::jsonrpc::PreparedResult;
use mcp_types::{
    ListResourceTemplatesResult, ListResourcesResult, Resource, ResourceTemplate, Revision,
};

use super::Resources;
use super::route::{ListPart, Listed, ResourceRoute};
use crate::ProtocolError;
use crate::error::RequestError;
use crate::server::cursor::{Pageable, Place, Progress};
use crate::server::pages::cut;
use crate::server::routes::Routes;
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
    Made(T),
}

/// What a template is asked for: its number, itself, and what it finds.
type Expansion = (u64, Arc<ResourceRoute>, BoxFuture<Vec<Resource>>);

impl<'a> Viewer<'a> {
    pub(in crate::server) fn new(revision: Revision, context: Option<&'a Context>) -> Self {
        Self { revision, context }
    }

    /// What is said where nothing is found under `uri`, or nothing for this viewer.
    pub(super) fn not_found(self, uri: &str) -> RequestError {
        RequestError::ResourceNotFound {
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
        self: &Arc<Self>,
        cursor: Option<&str>,
        viewer: Viewer<'_>,
    ) -> Result<Listing<Reply<ListResourcesResult>>, RequestError> {
        let has_listers = self.routes.all().iter().any(|route| route.lister.is_some());
        if has_listers || viewer.context.is_some() {
            let after = cursor.map(|cursor| Place::read(Pageable::Resources, cursor));
            let listers = self.ask_listers(after.transpose()?, viewer);
            let page = self.expanded(listers, cursor, viewer.context.cloned());
            return Ok(Listing::Made(Reply::Pending(page)));
        }
        let page = self.pages.page(cursor)?;
        let written = page.written(viewer.revision, || {
            let shown = &fixed(&self.routes)[page.items.clone()];
            let mut resources = Vec::with_capacity(shown.len());
            for (.., resource) in shown {
                resources.push(Resource::clone(resource));
            }
            let mut result = ListResourcesResult::new(resources);
            result.next_cursor.clone_from(&page.next);
            self.caching.mark(result)
        });
        Ok(Listing::Prepared(written))
    }

    /// Asks the templates what they stand for, as far as the page behind `after` may show it.
    fn ask_listers(&self, after: Option<Place>, viewer: Viewer<'_>) -> Vec<Expansion> {
        let mut asked: Vec<Expansion> = Vec::new();
        for (serial, route) in self.routes.numbered() {
            let progress = after
                .as_ref()
                .map_or(Progress::Ahead, |it| it.progress(serial));
            let Some(lister) = route.lister.as_ref().filter(|_| progress != Progress::Done) else {
                continue;
            };
            // One more than the page has tells whether there is a next one. Of what is filtered, any
            // number may be left out.
            let enough = self.page_size.filter(|_| viewer.context.is_none());
            let found = lister(ListPart {
                after: match progress {
                    Progress::Within(uri) => Some(uri.to_owned()),
                    _ => None,
                },
                enough: enough.map_or(usize::MAX, |size| size.get().saturating_add(1)),
                paged: self.page_size.is_some(),
            });
            asked.push((serial, Arc::clone(route), found));
        }
        asked
    }

    /// A page of the resources that have a URI of their own, and of what templates stand for.
    ///
    /// What a template stands for is put in the order of the URIs where there are pages: only so
    /// can the next one begin where the last one ended, whatever came and went meanwhile.
    fn expanded(
        self: &Arc<Self>,
        listers: Vec<Expansion>,
        cursor: Option<&str>,
        viewer: Option<Context>,
    ) -> BoxFuture<Result<ListResourcesResult, ProtocolError>> {
        let (mut places, mut resources) = (Vec::new(), Vec::new());
        for (serial, route, resource) in fixed(&self.routes) {
            let viewer = viewer.as_ref();
            if viewer.is_none_or(|viewer| self.shows(route, &resource.uri, viewer)) {
                places.push(Place::of(serial));
                resources.push(resource.clone());
            }
        }
        let (all, size) = (Arc::clone(self), self.page_size);
        let cursor = cursor.map(str::to_owned);
        Box::pin(async move {
            for (serial, route, lister) in listers {
                let mut found = lister.await;
                if size.is_some() {
                    found.sort_by(|one, other| one.uri.cmp(&other.uri));
                }
                for resource in found {
                    let shows = |viewer| all.shows_listed(&route, &resource.uri, viewer);
                    let place = Place::expanded(serial, resource.uri.clone());
                    // What is found twice has one place, and the next page would begin behind it.
                    let is_double = size.is_some() && places.last() == Some(&place);
                    if !is_double && viewer.as_ref().is_none_or(shows) {
                        places.push(place);
                        resources.push(resource);
                    }
                }
            }
            let (items, next) = cut(&places, Pageable::Resources, cursor.as_deref(), size)
                .map_err(|refusal| refusal.to_error())?;
            resources.truncate(items.end);
            resources.drain(..items.start);
            let mut result = ListResourcesResult::new(resources);
            result.next_cursor = next;
            Ok(match viewer {
                Some(_) => all.caching.mark_private(result),
                None => all.caching.mark(result),
            })
        })
    }

    /// Whether the caller of `context` may see what the template of `route` found under `uri`, which
    /// may belong to another route.
    fn shows_listed(&self, route: &ResourceRoute, uri: &str, context: &Context) -> bool {
        match self.find(uri) {
            Some(found) => {
                let shows = |route| self.shows(route, &found.uri, context);
                shows(found.route) && (std::ptr::eq(found.route, route) || shows(route))
            }
            None => self.shows(route, uri, context),
        }
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
    ) -> Result<Listing<ListResourceTemplatesResult>, RequestError> {
        if let Some(viewer) = viewer.context {
            let (mut places, mut shown) = (Vec::new(), Vec::new());
            for (serial, route, template) in templates(&self.routes) {
                if self.shows(route, &template.uri_template, viewer) {
                    places.push(Place::of(serial));
                    shown.push((serial, route, template));
                }
            }
            let (items, next) = cut(&places, Pageable::Templates, cursor, self.page_size)?;
            let result = self.caching.mark_private(result(&shown[items], next));
            return Ok(Listing::Made(result));
        }
        let page = self.template_pages.page(cursor)?;
        let written = page.written(viewer.revision, || {
            let shown = &templates(&self.routes)[page.items.clone()];
            self.caching.mark(result(shown, page.next.clone()))
        });
        Ok(Listing::Prepared(written))
    }
}

/// What a list shows of each route, with its number.
type Shown<'a, T> = Vec<(u64, &'a ResourceRoute, &'a T)>;

/// The resources that have a URI of their own.
fn fixed(routes: &Routes<ResourceRoute>) -> Shown<'_, Resource> {
    let mut shown = Vec::new();
    for (serial, route) in routes.numbered() {
        if let Listed::Resource(resource) = &route.listed {
            shown.push((serial, &**route, &**resource));
        }
    }
    shown
}

/// The templates.
fn templates(routes: &Routes<ResourceRoute>) -> Shown<'_, ResourceTemplate> {
    let mut shown = Vec::new();
    for (serial, route) in routes.numbered() {
        if let Listed::Template(template) = &route.listed {
            shown.push((serial, &**route, &**template));
        }
    }
    shown
}

/// A page with these templates.
fn result(
    shown: &[(u64, &ResourceRoute, &ResourceTemplate)],
    next: Option<String>,
) -> ListResourceTemplatesResult {
    let templates = shown.iter().map(|(.., template)| (*template).clone());
    let mut result = ListResourceTemplatesResult::new(templates);
    result.next_cursor = next;
    result
}
