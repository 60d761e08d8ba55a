//! Resources of a mounted server.

use std::sync::Arc;

use super::route::{Listed, Lister};
use super::{ResourceCall, ResourceRoute};
use crate::server::BoxFuture;
use crate::server::completions::Completers;
use crate::server::mount::Links;

impl ResourceRoute {
    /// The resource or template `inner` of a mounted server, as the one that mounts it has it.
    pub(in crate::server) fn mounted(inner: &Arc<Self>, links: &Arc<Links>) -> Self {
        let template = inner.template.prefixed(&links.namespace.uri(""));
        let listed = match &inner.listed {
            Listed::Resource(resource) => {
                Listed::Resource(Box::new(links.resource((**resource).clone())))
            }
            Listed::Template(template) => {
                let mut template = template.clone();
                template.uri_template = links.namespace.uri(&template.uri_template);
                Listed::Template(template)
            }
        };
        let home = inner.home.clone().unwrap_or_else(|| links.server.clone());
        let (serving, at, names) = (Arc::clone(inner), home.clone(), Arc::clone(links));
        let mut route = Self::new(
            listed,
            template,
            Box::new(move |call: ResourceCall<'_>| {
                call.context.serve_at(&at);
                let links = Arc::clone(&names);
                let uri = links.namespace.strip(call.uri);
                let reply = (serving.handler)(ResourceCall { uri, ..call });
                reply.then(move |contents| Ok(links.contents(contents)))
            }),
        );
        if !inner.completers.is_empty() {
            let inner = Arc::clone(inner);
            route.completers =
                Completers::delegate(move |params| inner.completers.complete(params, None));
        }
        route.lister = lister(inner, links);
        let (shown, names) = (Arc::clone(inner), Arc::clone(links));
        let settings = Arc::clone(links.server.settings());
        if settings.resource_visibility.is_limited() || inner.visible.is_some() {
            route.visible = Some(Box::new(move |uri, context| {
                let uri = names.namespace.strip(uri);
                shown.is_visible(uri, context) && settings.resource_visibility.shows(uri, context)
            }));
        }
        if inner.wanted.is_some() {
            let (inner, names) = (Arc::clone(inner), Arc::clone(links));
            route.wanted = Some(Box::new(move |uri| {
                if let Some(wanted) = &inner.wanted {
                    wanted(names.namespace.strip(uri));
                }
            }));
        }
        route.subscribable = inner.subscribable;
        route.caching = inner.caching.clone();
        route.home = Some(home);
        route
    }
}

/// Finds what the template stands for in the mounted server, under outer URIs.
fn lister(inner: &Arc<ResourceRoute>, links: &Arc<Links>) -> Option<Lister> {
    inner.lister.as_ref()?;
    let (inner, links) = (Arc::clone(inner), Arc::clone(links));
    Some(Box::new(move |mut part| -> BoxFuture<_> {
        let after = part.after.take();
        part.after = after.map(|uri| links.namespace.strip(&uri).to_owned());
        let found = inner.lister.as_ref().map(|lister| lister(part));
        let links = Arc::clone(&links);
        Box::pin(async move {
            let mut outer = Vec::new();
            if let Some(found) = found {
                for resource in found.await {
                    outer.push(links.resource(resource));
                }
            }
            outer
        })
    }))
}
