//! `resources/list` with the resources that templates stand for.

use std::sync::Arc;

use mcp_types::{ListResourcesResult, Resource};

use super::route::{ListPart, ResourceRoute};
use crate::ProtocolError;
use crate::error::RequestError;
use crate::server::catalog::{Catalog, ListResult as _, Place, cut};
use crate::server::{BoxFuture, Context};

/// A template with its number, and the resources that its lister is to find.
type Expansion = (u64, Arc<ResourceRoute>, BoxFuture<Vec<Resource>>);

impl Catalog<ResourceRoute> {
    pub(in crate::server) fn has_listers(&self) -> bool {
        let mut entries = self.entries().iter();
        entries.any(|(_, route)| route.lister.is_some())
    }

    /// A page of the resources that have one URI, followed by those that templates stand for.
    ///
    /// With pages, the resources of a template are put in the order of their URIs. Only so can the
    /// next page begin where the last one ended, whatever came and went meanwhile.
    ///
    /// # Errors
    ///
    /// When `cursor` was not given out for this list.
    pub(in crate::server) fn list_expanded(
        self: &Arc<Self>,
        cursor: Option<&str>,
        context: Context,
    ) -> Result<BoxFuture<Result<ListResourcesResult, ProtocolError>>, RequestError> {
        let after = Place::after::<ListResourcesResult>(cursor)?;
        let mut items = Vec::new();
        for (number, route) in self.entries_of::<ListResourcesResult>() {
            if self.shows(route, route.template.as_str(), &context) {
                let resource = ListResourcesResult::item(route, context.revision());
                items.extend(resource.map(|resource| (Place::of(*number), resource)));
            }
        }
        let expansions = self.expand(after.as_ref());
        let (catalog, size) = (Arc::clone(self), self.page_size);
        Ok(Box::pin(async move {
            for (number, route, found) in expansions {
                let mut found = found.await;
                if size.is_some() {
                    found.sort_by(|one, other| one.uri.cmp(&other.uri));
                }
                for resource in found {
                    let place = Place::expanded(number, resource.uri.clone());
                    // The second of two resources with one place could not begin a page.
                    let last = items.last().map(|(last, _)| last);
                    let is_double = size.is_some() && last == Some(&place);
                    if !is_double && catalog.shows_found(&route, &resource.uri, &context) {
                        items.push((place, resource));
                    }
                }
            }
            let (range, next) = cut(&items, |(place, _)| place.clone(), after.as_ref(), size);
            items.truncate(range.end);
            let page = items.drain(range.start..);
            Ok(catalog.result(page.map(|(_, resource)| resource).collect(), next.as_ref()))
        }))
    }

    /// Starts the listers of templates, as far as the page after `after` may show their resources.
    fn expand(&self, after: Option<&Place>) -> Vec<Expansion> {
        let mut expansions: Vec<Expansion> = Vec::new();
        for (number, route) in self.entries() {
            let is_listed = after.is_some_and(|after| after.is_after_template(*number));
            let Some(lister) = route.lister.as_ref().filter(|_| !is_listed) else {
                continue;
            };
            // One more than the page has tells whether there is a next one. A filter may leave out
            // any number.
            let enough = self.page_size.filter(|_| !self.differs_by_caller());
            let found = lister(ListPart {
                after: after.and_then(|after| after.uri_of(*number).map(str::to_owned)),
                enough: enough.map_or(usize::MAX, |size| size.get().saturating_add(1)),
                paged: self.page_size.is_some(),
            });
            expansions.push((*number, Arc::clone(route), found));
        }
        expansions
    }

    /// Returns whether the caller of `context` may see the resource that the template of `route` found
    /// under `uri`, which may belong to another route.
    fn shows_found(&self, route: &ResourceRoute, uri: &str, context: &Context) -> bool {
        if !self.differs_by_caller() {
            return true;
        }
        match self.find(uri) {
            Some(found) => {
                let shows = |route| self.shows(route, &found.uri, context);
                shows(found.route) && (std::ptr::eq(found.route, route) || shows(route))
            }
            None => self.shows(route, uri, context),
        }
    }
}
