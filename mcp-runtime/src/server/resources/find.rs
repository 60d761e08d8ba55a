//! Resources found by URI: `resources/read`, subscriptions and completions.

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

/// A resource that was found by its URI.
pub(in crate::server) struct FoundResource<'a> {
    pub(in crate::server) entry: &'a ResourceEntry,
    /// The canonical URI of the resource: the one that was registered, or its template expanded
    /// with the variables.
    pub(super) uri: Cow<'a, str>,
    /// The values of the template's variables, decoded.
    pub(in crate::server) variables: Texts,
}

/// The most rounds in which a URI is replaced by the expansion of its template.
const MAX_LOOKUPS: usize = 4;

impl Catalog<ResourceEntry> {
    /// Answers `resources/read`.
    ///
    /// # Errors
    ///
    /// When the parameters do not fit, nothing is found under the URI, or the caller does not have
    /// its scopes.
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
            // A handler may name its parts by the canonical URI.
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

    /// Runs the hook of the resource under `uri` that a client has subscribed to.
    pub(in crate::server) fn subscribed(&self, uri: &str) {
        if let Some(found) = self.find(uri)
            && let Some(on_subscribe) = &found.entry.on_subscribe
        {
            on_subscribe(uri);
        }
    }

    /// Those of `uris` that the caller of `context` may subscribe to, as many as a client may have.
    ///
    /// # Errors
    ///
    /// When one of them is no URI, or the caller does not have the scopes of one: changes are for
    /// those who may read.
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

    /// The canonical form of `uri`, which the caller of `context` may subscribe to.
    ///
    /// # Errors
    ///
    /// When `uri` is no URI, has no resource, or one that does not announce changes or whose scopes
    /// the caller does not have.
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

    /// Checks that `uri` is a URI, or the registered name of a resource.
    ///
    /// # Errors
    ///
    /// When it is neither.
    pub(in crate::server) fn check_uri(&self, uri: &str) -> Result<(), RequestError> {
        if is_uri(uri) || self.find(uri).is_some() {
            Ok(())
        } else {
            Err(no_uri(uri, "params.uri"))
        }
    }

    /// Returns whether clients can subscribe to `uri`; `None` if nothing is found there.
    pub(in crate::server) fn is_subscribable(&self, uri: &str) -> Option<bool> {
        Some(self.find(uri)?.entry.on_subscribe.is_some())
    }

    /// Completes a variable of the template `uri`, or of one that matches that URI.
    ///
    /// # Errors
    ///
    /// When there is no such template for the caller of `context`, it does not have the scopes, or
    /// there is no such variable.
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

    /// The canonical form of `uri`; `None` if nothing is found there.
    pub(in crate::server) fn canonical<'a>(&'a self, uri: &'a str) -> Option<Cow<'a, str>> {
        self.find(uri).map(|found| found.uri)
    }

    /// The resource under `uri`, for the caller of `context`.
    ///
    /// # Errors
    ///
    /// When there is none, or `uri` is no URI; `path` is its path in the parameters.
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
                no_uri(uri, path)
            }
        })
    }

    /// Logs a template that matches `uri` but for slashes in the value of a variable.
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

    /// The resource with this `uri`, or that of the first matching template.
    ///
    /// If another entry has the URI that the template expands to, that entry serves it, so that all
    /// spellings of a URI lead to the same one. URIs with dot segments lead nowhere.
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

    /// The resource that was registered under `uri`, or under another spelling of it.
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

fn no_uri(uri: &str, path: &str) -> RequestError {
    RequestError::InvalidParams {
        path: path.to_owned(),
        reason: format!("`{uri}` is no URI (RFC 3986)"),
    }
}

/// A template with its number, and the resources that its lister is to find.
type Expansion = (u64, Arc<ResourceEntry>, BoxFuture<ListedResources>);

impl Catalog<ResourceEntry> {
    pub(in crate::server) fn has_listers(&self) -> bool {
        let mut entries = self.entries.iter();
        entries.any(|(_, entry)| entry.lister.is_some())
    }

    /// The page after `after` of the resources with a fixed URI, followed by those of templates.
    ///
    /// With pages, the resources of a template are sorted by URI, so that the next page can begin
    /// where the last one ended even if resources were added or removed meanwhile.
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
                    // The second of two resources with one place could not begin a page.
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

    /// Starts the listers of templates, as far as the page after `after` may show their resources.
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
            // One more than the page has, to detect a next page. A filter may leave out
            // any number.
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

    /// Returns whether the caller of `context` may see the resource that the template of `entry`
    /// found under `uri`, which may belong to another entry.
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
