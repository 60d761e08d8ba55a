//! Describes a resource or template step by step, and makes a route of it.

use std::fmt;
use std::time::Duration;

use mcp_types::{Annotations, CacheScope, Resource, ResourceTemplate};

use super::Contents;
use super::route::{Listed, ResourceRoute};
use super::template::UriTemplate;
use crate::server::caching::Caching;
use crate::server::completions::{Completer, Completers};
use crate::server::handler::run::Rejection;
use crate::server::handler::text::{TextArgument, TextCall};
use crate::server::icon::IntoIcon;
use crate::server::meta_keys;
use crate::server::metadata::IntoMeta;
use crate::server::{BoxFuture, Reply};

/// A resource while it is being described.
pub struct ResourceSpec {
    template: ResourceTemplate,
    uri: UriTemplate,
    size: Option<i64>,
    completers: Completers,
    lister: Option<super::route::Lister>,
    subscribable: bool,
    caching: Caching,
}

impl ResourceSpec {
    /// The resource called `name` under `uri`, or the resources where that has variables.
    #[must_use]
    pub fn new(name: impl Into<String>, uri: UriTemplate) -> Self {
        Self {
            template: ResourceTemplate::new(name, uri.as_str()),
            uri,
            size: None,
            completers: Completers::default(),
            lister: None,
            subscribable: false,
            caching: Caching::default(),
        }
    }

    /// Says what the resource is.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.template.description = Some(text.into());
        self
    }

    /// Gives the resource a name for people.
    #[must_use]
    pub fn title(mut self, text: impl Into<String>) -> Self {
        self.template.title = Some(text.into());
        self
    }

    /// The media type of the contents, such as `text/markdown`.
    #[must_use]
    pub fn mime(mut self, text: impl Into<String>) -> Self {
        self.template.mime_type = Some(text.into());
        self
    }

    /// The size in bytes; templates have none.
    #[must_use]
    pub fn size(mut self, bytes: i64) -> Self {
        self.size = Some(bytes);
        self
    }

    /// Says for whom the resource is, how much it matters, and when it last changed.
    #[must_use]
    pub fn annotations(mut self, annotations: Annotations) -> Self {
        self.template.annotations = Some(annotations);
        self
    }

    /// How long clients may keep what they read, and for whom (2026-07-28, "Caching"). Unless set,
    /// they may not.
    #[must_use]
    pub fn cache(mut self, ttl: Duration, scope: CacheScope) -> Self {
        self.caching = Caching::new(ttl, scope);
        self
    }

    /// Adds pictures of the resource, given as icons or as their URLs.
    #[must_use]
    pub fn icons<I: IntoIcon>(mut self, icons: impl IntoIterator<Item = I>) -> Self {
        self.template.icons = Some(icons.into_iter().map(I::into_icon).collect());
        self
    }

    /// Adds metadata, for clients that know its keys.
    ///
    /// # Panics
    ///
    /// When a key is none that servers may use (2026-07-28, "Overview", section `_meta`).
    #[must_use]
    pub fn meta(mut self, meta: impl IntoMeta) -> Self {
        self.template.meta = Some(meta_keys::checked(meta.into_meta()));
        self
    }

    /// Lets clients subscribe to the resource.
    #[must_use]
    pub fn subscribable(mut self) -> Self {
        self.subscribable = true;
        self
    }

    /// Adds a variable of the template.
    pub fn argument<T>(&mut self, mut argument: TextArgument<T>) -> TextArgument<T> {
        if let Some(completer) = argument.completer.take() {
            self.complete(argument.name, completer);
        }
        argument
    }

    /// Suggests values of a variable.
    #[doc(hidden)]
    pub fn complete(&mut self, variable: &'static str, completer: Completer) {
        self.completers.add(variable, completer);
    }

    /// Finds what `resources/list` shows of the template.
    pub fn list<F>(&mut self, lister: impl Fn() -> F + Send + Sync + 'static)
    where
        F: Future<Output = Vec<Resource>> + Send + 'static,
    {
        self.lister = Some(Box::new(move |_| -> BoxFuture<_> { Box::pin(lister()) }));
    }

    /// Closes the description; `call` serves each request.
    #[doc(hidden)]
    #[must_use]
    pub fn route<C>(self, call: C) -> ResourceRoute
    where
        C: Fn(TextCall<'_>) -> Result<Reply<Contents>, Rejection> + Send + Sync + 'static,
    {
        let handler = move |incoming: super::ResourceCall<'_>| {
            call(TextCall::from(incoming))
                .unwrap_or_else(|rejection| Reply::Ready(Err(rejection.into_error())))
        };
        let mut route = ResourceRoute::template(self.template, self.uri, handler);
        if let Listed::Template(template) = &route.listed
            && route.template.is_literal()
        {
            let resource = resource(template, self.size);
            route.listed = Listed::Resource(Box::new(resource));
        }
        route.completers = self.completers;
        route.lister = self.lister;
        route.subscribable = self.subscribable;
        route.caching = self.caching;
        route
    }
}

/// The resource that a macro has found in the user's code; it has checked the URI.
pub fn resource_spec(name: &str, uri: &str) -> ResourceSpec {
    let template = UriTemplate::parse(uri).unwrap_or_else(|_| UriTemplate::literal(uri));
    ResourceSpec::new(name, template)
}

impl fmt::Debug for ResourceSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ResourceSpec")
            .field(&self.uri.as_str())
            .finish()
    }
}

/// A template without variables is a resource.
fn resource(template: &ResourceTemplate, size: Option<i64>) -> Resource {
    let mut resource = Resource::new(template.name.clone(), template.uri_template.clone());
    resource.description.clone_from(&template.description);
    resource.title.clone_from(&template.title);
    resource.mime_type.clone_from(&template.mime_type);
    resource.annotations.clone_from(&template.annotations);
    resource.icons.clone_from(&template.icons);
    resource.meta.clone_from(&template.meta);
    resource.size = size;
    resource
}
