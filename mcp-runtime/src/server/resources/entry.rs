//! Resources and templates as entries of the catalogue.

use std::sync::Arc;

use mcp_types::{
    ListResourceTemplatesResult, ListResourcesResult, Resource, ResourceTemplate, Revision,
};

use super::route::{Listed, Lister};
use super::uri::normalize;
use super::{ResourceCall, ResourceRoute};
use crate::server::catalog::{Entry, ListResult, Mount, Visibility};
use crate::server::completions::Completers;

impl Entry for ResourceRoute {
    fn name(&self) -> &str {
        self.template.as_str()
    }

    fn normalized_name(&self) -> Option<String> {
        let uri = self.template.as_str();
        let is_literal = self.template.is_literal();
        is_literal
            .then(|| normalize(uri))
            .filter(|normal| normal != uri)
    }

    fn is_template(&self) -> bool {
        matches!(self.listed, Listed::Template(_))
    }

    fn visibility(&self) -> &Visibility<Self> {
        &self.visibility
    }

    fn completers(&self) -> Option<&Completers> {
        Some(&self.completers)
    }

    fn mounted(inner: &Arc<Self>, mount: &Arc<Mount>, visibility: Visibility<Self>) -> Self {
        let mut listed = inner.listed.clone();
        match &mut listed {
            Listed::Resource(resource) => resource.uri = mount.namespace.uri(&resource.uri),
            Listed::Template(template) => {
                template.uri_template = mount.namespace.uri(&template.uri_template);
            }
        }
        let template = inner.template.prefixed(&mount.namespace.uri(""));
        let home = mount.home(inner.home.as_ref());
        let (serving, at, names) = (Arc::clone(inner), home.clone(), Arc::clone(mount));
        let mut route = Self::new(
            listed,
            template,
            Box::new(move |call: ResourceCall<'_>| {
                call.context.serve_at(&at);
                let mount = Arc::clone(&names);
                let uri = mount.namespace.strip(call.uri);
                let reply = (serving.handler)(ResourceCall { uri, ..call });
                reply.then(move |contents| Ok(mount.contents(contents)))
            }),
        );
        if let Some(on_subscribe) = inner.on_subscribe.clone() {
            let names = mount.namespace.clone();
            route.on_subscribe = Some(Arc::new(move |uri| on_subscribe(names.strip(uri))));
        }
        route.lister = inner.lister.clone().map(|lister| mounted(lister, mount));
        route.completers = inner.completers.clone();
        route.subscribable = inner.subscribable;
        route.caching = inner.caching.clone();
        route.visibility = visibility;
        route.home = Some(home);
        route
    }
}

/// A lister of a mounted server, with outer URIs.
fn mounted(inner: Lister, mount: &Arc<Mount>) -> Lister {
    let mount = Arc::clone(mount);
    Arc::new(move |mut part| {
        let after = part.after.as_deref();
        part.after = after.map(|uri| mount.namespace.strip(uri).to_owned());
        let (found, mount) = (inner(part), Arc::clone(&mount));
        Box::pin(async move {
            let mut resources = found.await;
            for resource in &mut resources {
                resource.uri = mount.namespace.uri(&resource.uri);
            }
            resources
        })
    })
}

impl ListResult for ListResourcesResult {
    type Entry = ResourceRoute;
    type Item = Resource;

    const NUMBER: u8 = 2;

    fn item(route: &ResourceRoute, _: Revision) -> Option<Resource> {
        match &route.listed {
            Listed::Resource(resource) => Some(Resource::clone(resource)),
            Listed::Template(_) => None,
        }
    }

    fn page(resources: Vec<Resource>, next_cursor: Option<String>) -> Self {
        let mut page = Self::new(resources);
        page.next_cursor = next_cursor;
        page
    }
}

impl ListResult for ListResourceTemplatesResult {
    type Entry = ResourceRoute;
    type Item = ResourceTemplate;

    const NUMBER: u8 = 3;
    const TEMPLATES: bool = true;

    fn item(route: &ResourceRoute, _: Revision) -> Option<ResourceTemplate> {
        match &route.listed {
            Listed::Template(template) => Some(ResourceTemplate::clone(template)),
            Listed::Resource(_) => None,
        }
    }

    fn page(templates: Vec<ResourceTemplate>, next_cursor: Option<String>) -> Self {
        let mut page = Self::new(templates);
        page.next_cursor = next_cursor;
        page
    }
}
