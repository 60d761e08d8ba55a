//! The resources of a server: listed in order, found by URI.

use std::borrow::Cow;
use std::collections::HashMap;
use std::num::NonZeroUsize;

use mcp_types::{CompleteRequestParams, CompleteResult, ReadResourceResult, ResourceContents};

use super::canonical::{has_dot_segments, is_uri, normalize};
use super::route::{Listed, ResourceRoute};
use super::{ResourceCall, Viewer};
use crate::error::RequestError;
use crate::server::caching::Caching;
use crate::server::cursor::Pageable;
use crate::server::handler::text::Texts;
use crate::server::pages::Pages;
use crate::server::router::Admitted;
use crate::server::routes::Routes;
use crate::server::settings::Settings;
use crate::server::visibility::Visibility;
use crate::server::{Context, Reply};

/// The resources of a server, and the templates of resources.
#[derive(Debug)]
pub(in crate::server) struct Resources {
    pub(super) routes: Routes<ResourceRoute>,
    /// The URIs of resources that were not registered in their normal spelling, by that spelling.
    spellings: HashMap<String, String>,
    pub(super) pages: Pages,
    pub(super) template_pages: Pages,
    pub(super) page_size: Option<NonZeroUsize>,
    pub(super) caching: Caching,
    pub(super) visibility: Visibility<str>,
}

/// What serves a URI.
pub(super) struct Found<'a> {
    pub(super) route: &'a ResourceRoute,
    /// The canonical URI of the resource: the one that was registered, or its template expanded
    /// with the variables.
    pub(super) uri: Cow<'a, str>,
    variables: Texts,
}

/// How often a URI is looked up by what its template is expanded to, until that stays the same.
const MAX_LOOKUPS: usize = 4;

impl Resources {
    pub(in crate::server) fn new(routes: Routes<ResourceRoute>, settings: &Settings) -> Self {
        let size = settings.page_size;
        let (mut resources, mut templates) = (Vec::new(), Vec::new());
        let mut spellings = HashMap::new();
        for (serial, route) in routes.numbered() {
            let uri = route.template.as_str();
            if route.template.is_literal() && normalize(uri) != uri {
                spellings.entry(normalize(uri)).or_insert(uri.to_owned());
            }
            match route.listed {
                Listed::Resource(_) => resources.push(serial),
                Listed::Template(_) => templates.push(serial),
            }
        }
        Self {
            pages: Pages::new(Pageable::Resources, size, resources),
            template_pages: Pages::new(Pageable::Templates, size, templates),
            routes,
            spellings,
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

    /// Whether the caller of `context` may see what the canonical `uri` names, which `route` serves.
    pub(super) fn shows(&self, route: &ResourceRoute, uri: &str, context: &Context) -> bool {
        route.is_visible(uri, context) && self.visibility.shows(uri, context)
    }

    /// What serves `uri`.
    ///
    /// # Errors
    ///
    /// When nothing does, the viewer may not know of it, or `uri` is none; `path` says where it
    /// stands among the parameters.
    fn find_for<'a>(
        &'a self,
        uri: &'a str,
        path: &str,
        viewer: Viewer<'_>,
    ) -> Result<Found<'a>, RequestError> {
        let found = self.find(uri).filter(|found| {
            let context = viewer.context;
            context.is_none_or(|context| self.shows(found.route, &found.uri, context))
        });
        found.ok_or_else(|| {
            if is_uri(uri) {
                return viewer.not_found(uri);
            }
            RequestError::InvalidParams {
                path: path.to_owned(),
                reason: format!("`{uri}` is no URI (RFC 3986)"),
            }
        })
    }

    /// Tells what serves `uri` that somebody wants to know of its changes.
    pub(in crate::server) fn wanted(&self, uri: &str) {
        if let Some(found) = self.find(uri)
            && let Some(wanted) = &found.route.wanted
        {
            wanted(uri);
        }
    }

    /// The part of `uris` that clients may subscribe to, `most` at most.
    ///
    /// # Errors
    ///
    /// When one of them is no URI.
    pub(in crate::server) fn subscribable(
        &self,
        uris: Vec<String>,
        most: usize,
        viewer: Viewer<'_>,
    ) -> Result<Vec<String>, RequestError> {
        let mut subscribable = Vec::new();
        for (index, uri) in uris.into_iter().enumerate() {
            let path = format!("params.notifications.resourceSubscriptions[{index}]");
            match self.find_for(&uri, &path, viewer) {
                Ok(found) if found.route.subscribable && subscribable.len() < most => {
                    subscribable.push(uri);
                }
                Err(fault @ RequestError::InvalidParams { .. }) => return Err(fault),
                _ => {}
            }
        }
        Ok(subscribable)
    }

    /// The canonical form of `uri`, to which clients may subscribe.
    ///
    /// # Errors
    ///
    /// When `uri` is none, nothing is found there, or nothing that announces its changes.
    pub(in crate::server) fn check_subscribable<'a>(
        &'a self,
        uri: &'a str,
        viewer: Viewer<'_>,
    ) -> Result<Cow<'a, str>, RequestError> {
        let found = self.find_for(uri, "params.uri", viewer)?;
        if found.route.subscribable {
            return Ok(found.uri);
        }
        Err(RequestError::InvalidParams {
            path: "params.uri".to_owned(),
            reason: format!("the resource `{uri}` does not announce its changes"),
        })
    }

    /// Checks that `uri` is one, or was registered as one.
    ///
    /// # Errors
    ///
    /// When it is none.
    pub(in crate::server) fn check_uri(
        &self,
        uri: &str,
        viewer: Viewer<'_>,
    ) -> Result<(), RequestError> {
        match self.find_for(uri, "params.uri", viewer) {
            Err(fault @ RequestError::InvalidParams { .. }) => Err(fault),
            _ => Ok(()),
        }
    }

    /// Answers `resources/read`.
    ///
    /// # Errors
    ///
    /// When the parameters do not fit, or nothing is found under the URI.
    pub(in crate::server) fn read(
        &self,
        request: Admitted<'_>,
    ) -> Result<Reply<ReadResourceResult>, RequestError> {
        let revision = request.negotiated.revision;
        let requested = request.params.uri()?;
        // Whatever is wrong with it is said before it is known whether there is such a resource.
        let context = request.context()?;
        let viewer = Viewer::new(revision, Some(context));
        let Found {
            route,
            uri: canonical,
            variables,
        } = self.find_for(&requested, "params.uri", viewer)?;
        let reply = (route.handler)(ResourceCall {
            uri: &requested,
            variables: &variables,
            context,
        });
        let (uri, canonical) = (requested.clone().into_owned(), canonical.into_owned());
        let (mime_type, caching) = (route.mime_type(), route.caching.clone());
        let is_private = self.visibility.is_limited() || route.visible.is_some();
        Ok(reply.then(move |contents| {
            let mut answer = contents.answer(uri.clone(), mime_type.clone(), revision)?;
            respell(&mut answer, &canonical, &uri);
            Ok(if is_private {
                caching.mark_private(answer)
            } else {
                caching.mark(answer)
            })
        }))
    }

    /// The canonical form of `uri`; `None` if nothing is found there.
    pub(in crate::server) fn canonical<'a>(&'a self, uri: &'a str) -> Option<Cow<'a, str>> {
        self.find(uri).map(|found| found.uri)
    }

    /// What serves a URI: the resource that has it as its own, else the first template that
    /// matches.
    ///
    /// What a template is expanded to may itself belong to another route, which then serves it: so
    /// that all spellings of a URI lead to the same one. URIs with dot segments lead nowhere.
    pub(super) fn find<'a>(&'a self, uri: &'a str) -> Option<Found<'a>> {
        if let Some(found) = self.find_fixed(uri) {
            return Some(found);
        }
        if !is_uri(uri) {
            return None;
        }
        let mut uri = normalize(uri);
        for _ in 0..MAX_LOOKUPS {
            let registered = self.spellings.get(&uri).unwrap_or(&uri);
            if let Some(found) = self.find_fixed(registered) {
                return Some(found);
            }
            let mut routes = self.routes.all().iter();
            let (route, variables) = routes.find_map(|route| {
                let template = Some(&route.template).filter(|it| !it.is_literal());
                Some((route, template?.matches_normalized(&uri)?))
            })?;
            let canonical = route.template.expand(&variables);
            if canonical == uri {
                return (!has_dot_segments(&uri)).then_some(Found {
                    route,
                    uri: uri.into(),
                    variables,
                });
            }
            uri = canonical;
        }
        None
    }

    /// The resource that was registered under `uri`.
    fn find_fixed(&self, uri: &str) -> Option<Found<'_>> {
        let route = self.routes.get(uri).filter(|it| it.template.is_literal())?;
        Some(Found {
            route,
            uri: route.template.as_str().into(),
            variables: Texts::new(),
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
        viewer: Viewer<'_>,
    ) -> Result<Reply<CompleteResult>, RequestError> {
        let (route, name) = match self.routes.get(uri) {
            Some(route) => (Some(route), uri.into()),
            None => match self.find(uri) {
                Some(found) => (Some(found.route), found.uri),
                None => (None, uri.into()),
            },
        };
        let shows = |route: &&ResourceRoute| {
            let context = viewer.context;
            context.is_none_or(|context| self.shows(route, &name, context))
        };
        let route = route.filter(shows).ok_or_else(|| viewer.not_found(uri))?;
        let variables = route.template.variables();
        route.completers.complete(params, Some(&variables))
    }
}

/// Gives the parts of an answer that are called by the canonical URI the one that was asked for.
fn respell(answer: &mut ReadResourceResult, canonical: &str, asked: &str) {
    if canonical == asked {
        return;
    }
    for part in &mut answer.contents {
        let uri = match part {
            ResourceContents::Text(text) => &mut text.uri,
            ResourceContents::Blob(blob) => &mut blob.uri,
            _ => continue,
        };
        if uri == canonical {
            asked.clone_into(uri);
        }
    }
}
