//! Finds resources by URI, for `resources/read`, subscriptions, completions and lists.
//!
//! A URI has many spellings. All of them lead to the same entry and canonical URI, so that a caller
//! can't bypass the visibility or scopes of a resource with another spelling.

use std::borrow::Cow;
use std::sync::Arc;

use mcp_types::{
    CompleteRequestParams, CompleteResult, ListResourcesResult, ReadResourceResult,
    ResourceContents,
};

use super::entry::ListedResources;
use super::uri::{has_dot_segments, is_uri, normalize};
use super::{ListPart, ResourceCall, ResourceEntry, UriTemplate};
use crate::ProtocolError;
use crate::error::RequestError;
use crate::limits::MAX_SUBSCRIPTIONS;
use crate::protocol::resource_not_found;
use crate::server::catalog::{Catalog, CatalogEntry as _, Place};
use crate::server::dispatch::ServerRequest;
use crate::server::handler::Texts;
use crate::server::{BoxFuture, Context, Reply};

pub(in crate::server) struct FoundResource<'a> {
    pub(in crate::server) entry: &'a ResourceEntry,
    /// The canonical URI of the resource: the registered URI, or the template expanded with the
    /// variables.
    pub(super) uri: Cow<'a, str>,
    /// The values of the template's variables, decoded.
    pub(in crate::server) variables: Texts,
}

/// How often a URI may be replaced by the expansion of its template.
const MAX_LOOKUPS: usize = 4;

impl Catalog<ResourceEntry> {
    /// Answers `resources/read`.
    ///
    /// # Errors
    ///
    /// Fails if the parameters are invalid, if there is no resource with the URI, or if the caller
    /// lacks a scope.
    pub(in crate::server) fn read(
        &self,
        request: ServerRequest<'_>,
    ) -> Result<Reply<ReadResourceResult>, RequestError> {
        let uri = request.params.uri()?;
        let context = request.context;
        let found = self.find_for(&uri, "params.uri", context)?;
        let entry = found.entry;
        self.check_scopes(entry, context)?;
        let reply = (entry.handler)(ResourceCall {
            uri: &uri,
            variables: &found.variables,
            context,
        });
        let canonical = found.uri.into_owned();
        let uri = uri.clone().into_owned();
        let mime_type = entry.mime_type();
        let caching = entry.caching.clone();
        let private = self.visibility.is_limited()
            || entry.visibility.is_limited()
            || self.needs_scopes(entry);
        let revision = context.revision();
        let warnings = Arc::clone(context.warnings());
        Ok(reply.then(move |contents| {
            let mut result = contents.result(uri.clone(), mime_type, revision)?;
            warnings.resource(&result);
            let uris = result.contents.iter_mut();
            // If the handler uses the canonical URI, answer with the client's spelling.
            for part in uris.filter_map(ResourceContents::uri_mut) {
                if *part == canonical {
                    uri.clone_into(part);
                }
            }
            Ok(caching.mark(result, private))
        }))
    }

    pub(in crate::server) fn has_subscribable(&self) -> bool {
        let mut entries = self.entries.iter();
        entries.any(|(_, entry)| entry.on_subscribe.is_some())
    }

    /// Runs the hook of a resource after a client has subscribed to `uri`.
    pub(in crate::server) fn subscribed(&self, uri: &str) {
        if let Some(found) = self.find(uri)
            && let Some(on_subscribe) = &found.entry.on_subscribe
        {
            on_subscribe(uri);
        }
    }

    /// Returns the URIs that the caller of `context` may subscribe to, up to the maximum number of
    /// subscriptions.
    ///
    /// # Errors
    ///
    /// Fails if a string is not a URI, or if the caller lacks a scope of a resource. A caller who may
    /// not read a resource may not learn about its changes either.
    pub(in crate::server) fn subscribable(
        &self,
        uris: Vec<String>,
        context: &Context,
    ) -> Result<Vec<String>, RequestError> {
        let mut subscribable = Vec::new();
        for (index, uri) in uris.into_iter().enumerate() {
            let path = format!("params.notifications.resourceSubscriptions[{index}]");
            match self.find_for(&uri, &path, context) {
                Ok(found) if found.entry.on_subscribe.is_some() => {
                    self.check_scopes(found.entry, context)?;
                    subscribable.push(uri);
                }
                Err(error @ RequestError::InvalidParams { .. }) => return Err(error),
                _ => {}
            }
        }
        subscribable.truncate(MAX_SUBSCRIPTIONS);
        Ok(subscribable)
    }

    /// Checks that the caller of `context` may subscribe to `uri`, and returns its canonical form.
    ///
    /// # Errors
    ///
    /// Fails if `uri` is not a URI, if there is no such resource, if the resource does not announce
    /// changes, or if the caller lacks a scope.
    pub(in crate::server) fn check_subscribable<'a>(
        &'a self,
        uri: &'a str,
        context: &Context,
    ) -> Result<Cow<'a, str>, RequestError> {
        let found = self.find_for(uri, "params.uri", context)?;
        if found.entry.on_subscribe.is_some() {
            self.check_scopes(found.entry, context)?;
            return Ok(found.uri);
        }
        Err(RequestError::InvalidParams {
            path: "params.uri".to_owned(),
            reason: format!("the resource `{uri}` does not announce its changes"),
        })
    }

    /// Checks that `uri` is a URI or the registered name of a resource.
    ///
    /// # Errors
    ///
    /// Fails if it is neither.
    pub(in crate::server) fn check_uri(&self, uri: &str) -> Result<(), RequestError> {
        if is_uri(uri) || self.find(uri).is_some() {
            Ok(())
        } else {
            Err(not_a_uri(uri, "params.uri"))
        }
    }

    /// Returns whether clients can subscribe to `uri`, or `None` if there is no such resource.
    pub(in crate::server) fn is_subscribable(&self, uri: &str) -> Option<bool> {
        Some(self.find(uri)?.entry.on_subscribe.is_some())
    }

    /// Completes a variable of the template `uri`. `uri` may also be a URI that a template matches.
    ///
    /// # Errors
    ///
    /// Fails if the caller of `context` can't see such a template or lacks a scope, or if the
    /// template has no such variable.
    pub(in crate::server) fn complete(
        &self,
        uri: &str,
        params: CompleteRequestParams,
        context: &Context,
    ) -> Result<Reply<CompleteResult>, RequestError> {
        let registered = self.get(uri).map(|entry| (entry, entry.name().into()));
        let found = || self.find(uri).map(|found| (found.entry, found.uri));
        let shown = registered
            .or_else(found)
            .filter(|(entry, uri)| self.shows(entry, uri, context));
        let (entry, _) = shown.ok_or_else(|| not_found(uri, context))?;
        self.check_scopes(entry, context)?;
        entry
            .completers
            .complete(params, &entry.template.variables())
    }

    /// Returns the canonical form of `uri`, or `None` if there is no such resource.
    pub(in crate::server) fn canonical<'a>(&'a self, uri: &'a str) -> Option<Cow<'a, str>> {
        self.find(uri).map(|found| found.uri)
    }

    /// Finds the resource with this `uri`, if the caller of `context` can see it.
    ///
    /// # Errors
    ///
    /// Fails if there is no such resource, or if `uri` is not a URI. The error names `path` as the
    /// path of the URI in the parameters.
    pub(in crate::server) fn find_for<'a>(
        &'a self,
        uri: &'a str,
        path: &str,
        context: &Context,
    ) -> Result<FoundResource<'a>, RequestError> {
        let found = self.find(uri);
        let shown = found.filter(|found| self.shows(found.entry, &found.uri, context));
        shown.ok_or_else(|| {
            if is_uri(uri) {
                self.log_near(uri);
                not_found(uri, context)
            } else {
                not_a_uri(uri, path)
            }
        })
    }

    /// Returns true if there is a resource with this `uri`, and a list may show it to the caller of
    /// `context`.
    pub(in crate::server) fn shows_uri(&self, uri: &str, context: &Context) -> bool {
        let found = self.find(uri);
        found.is_some_and(|found| self.lists(found.entry, &found.uri, context))
    }

    /// Logs a template that `uri` would match if the value of a variable could contain slashes.
    fn log_near(&self, uri: &str) {
        if !tracing::enabled!(tracing::Level::DEBUG) {
            return;
        }
        let normalized = normalize(uri);
        let mut templates = self.entries.iter().map(|(_, entry)| &entry.template);
        let is_near = |it: &&UriTemplate| {
            it.matches_normalized(&normalized).is_none() && it.matches_reserved(&normalized)
        };
        if let Some(template) = templates.find(is_near) {
            tracing::debug!(
                uri,
                template = template.as_str(),
                "a resource was not found: the value of a variable has a slash only in `{{+variable}}`"
            );
        }
    }

    /// Finds the resource with this `uri`, or the first template that matches it.
    ///
    /// If the template expands to another URI, the lookup is repeated with this URI, so that all
    /// spellings of a URI lead to the same entry. URIs with dot segments are never found.
    pub(super) fn find<'a>(&'a self, uri: &'a str) -> Option<FoundResource<'a>> {
        if let Some(found) = self.find_literal(uri) {
            return Some(found);
        }
        if !is_uri(uri) {
            return None;
        }
        let mut uri = normalize(uri);
        for _ in 0..MAX_LOOKUPS {
            if let Some(found) = self.find_literal(&uri) {
                return Some(found);
            }
            let mut entries = self.entries.iter().map(|(_, entry)| entry);
            let (entry, variables) = entries.find_map(|entry| {
                let template = Some(&entry.template).filter(|it| !it.is_literal())?;
                Some((entry, template.matches_normalized(&uri)?))
            })?;
            let canonical = entry.template.expand(&variables);
            if canonical == uri {
                return (!has_dot_segments(&uri)).then_some(FoundResource {
                    entry,
                    uri: uri.into(),
                    variables,
                });
            }
            uri = canonical;
        }
        None
    }

    /// Finds the resource that was registered with `uri` or its normalized form.
    fn find_literal(&self, uri: &str) -> Option<FoundResource<'_>> {
        let entry = self.get(uri).filter(|it| it.template.is_literal())?;
        Some(FoundResource {
            entry,
            uri: entry.template.as_str().into(),
            variables: Texts::new(),
        })
    }
}

fn not_found(uri: &str, context: &Context) -> RequestError {
    RequestError::ResourceNotFound {
        uri: uri.to_owned(),
        code: resource_not_found(context.revision()),
    }
}

fn not_a_uri(uri: &str, path: &str) -> RequestError {
    RequestError::InvalidParams {
        path: path.to_owned(),
        reason: format!("`{uri}` is not a URI (RFC 3986)"),
    }
}

/// The number of a template, its entry, and the resources that its lister is finding.
type Expansion = (u64, Arc<ResourceEntry>, BoxFuture<ListedResources>);

impl Catalog<ResourceEntry> {
    pub(in crate::server) fn has_listers(&self) -> bool {
        let mut entries = self.entries.iter();
        entries.any(|(_, entry)| entry.lister.is_some())
    }

    /// Lists the page after `after`: first resources with a fixed URI, then the resources that
    /// templates list.
    ///
    /// With pagination, the resources of a template are sorted by URI. The next page can then begin
    /// where the previous page has ended, even if resources were added or removed in between.
    pub(in crate::server) fn list_expanded(
        self: &Arc<Self>,
        after: Option<Place>,
        context: Context,
    ) -> BoxFuture<Result<ListResourcesResult, ProtocolError>> {
        let expansions = self.expand(after.as_ref(), &context);
        let catalog = Arc::clone(self);
        Box::pin(async move {
            let is_paged = catalog.page_size.is_some();
            let mut items: Vec<_> = catalog.items::<ListResourcesResult>(&context).collect();
            for (number, entry, found) in expansions {
                let mut found = found.await?;
                if is_paged {
                    found.sort_by(|one, other| one.uri.cmp(&other.uri));
                }
                for resource in found {
                    let place = Place::Found(number, resource.uri.clone());
                    // If two resources had the same place, a page could not begin at the second.
                    let last = items.last().map(|(last, _)| last);
                    let is_double = is_paged && last == Some(&place);
                    if !is_double && catalog.shows_found(&entry, &resource.uri, &context) {
                        items.push((place, resource));
                    }
                }
            }
            Ok(catalog.page(items.into_iter(), after.as_ref()))
        })
    }

    /// Calls the listers of the templates whose resources may be on the page after `after`.
    fn expand(&self, after: Option<&Place>, context: &Context) -> Vec<Expansion> {
        let mut expansions: Vec<Expansion> = Vec::new();
        for (number, entry) in &self.entries {
            let Some(lister) = &entry.lister else {
                continue;
            };
            let after = match after {
                Some(Place::Found(last, _)) if number < last => continue,
                Some(Place::Found(last, uri)) if number == last => Some(uri.clone()),
                _ => None,
            };
            // One more than fits on the page, to detect a next page. If lists differ between
            // callers, any number of resources may be filtered out, so all are needed.
            let enough = self.page_size.filter(|_| !self.differs_by_caller);
            let found = lister(ListPart {
                context: context.clone(),
                after,
                enough: enough.map_or(usize::MAX, |size| size.get().saturating_add(1)),
                paged: self.page_size.is_some(),
            });
            expansions.push((*number, Arc::clone(entry), found));
        }
        expansions
    }

    /// Returns true if the caller of `context` may see the resource `uri`, which the lister of
    /// `entry` has found. Another entry may serve the same URI, and must be visible as well.
    fn shows_found(&self, entry: &ResourceEntry, uri: &str, context: &Context) -> bool {
        if !self.differs_by_caller {
            return true;
        }
        match self.find(uri) {
            Some(found) => [entry, found.entry]
                .iter()
                .all(|entry| self.lists(entry, &found.uri, context)),
            None => self.lists(entry, uri, context),
        }
    }
}
