//! The builder of resources and templates.

use std::sync::Arc;
use std::time::Duration;

use mcp_types::{Annotations, CacheScope, Resource, ResourceTemplate};

use super::entry::{Listed, list_by};
use super::{Contents, IntoContents, IntoResources, ResourceCall, ResourceEntry, UriTemplate};
use crate::advice::HeldThread;
use crate::server::completions::Completer;
use crate::server::handler::{
    CallRejection, CallResult, Declares, TextArgument, TextArguments, TextCall, pending, ready, run,
};
use crate::server::{Context, Reply};

/// Builds a [`ResourceEntry`] from the description of a resource or template, and a function that
/// reads it.
///
/// ```
/// use mcp_runtime::Server;
/// use mcp_runtime::server::resources::{ResourceBuilder, UriTemplate, variable};
///
/// let uri = UriTemplate::parse("book://{isbn}")?;
/// let mut server = Server::builder();
/// server.resource(
///     ResourceBuilder::new("book", uri)
///         .mime("text/plain")
///         .variables((variable::<u64>("isbn"),))
///         .call(|(isbn,), _| (isbn == 978).then_some("Emma")),
/// );
/// # drop(server.build());
/// # Ok::<(), mcp_runtime::resources::TemplateError>(())
/// ```
#[derive(Debug)]
pub struct ResourceBuilder<A = ()> {
    pub(in crate::server) template: ResourceTemplate,
    size: Option<i64>,
    /// The entry. [`entry`](Self::entry) sets its handler and description.
    pub(in crate::server) entry: ResourceEntry,
    variables: A,
}

impl ResourceBuilder {
    /// Describes the resource called `name` with the URI `uri`. If `uri` has variables, describes a
    /// template.
    #[must_use]
    pub fn new(name: impl Into<String>, uri: UriTemplate) -> Self {
        let template = ResourceTemplate::new(name, uri.as_str());
        let nothing = |_: ResourceCall<'_>| Reply::Ready(Ok(Contents::Missing));
        Self {
            entry: ResourceEntry::template(template.clone(), uri, nothing),
            template,
            size: None,
            variables: (),
        }
    }

    /// Declares the variables to read from the URI. The template must contain all of them.
    pub fn variables<A: TextArguments>(mut self, variables: A) -> ResourceBuilder<A> {
        let variables = variables.declare(&mut self);
        self.replace(variables).0
    }

    /// Declares a variable of the template.
    pub fn argument<T>(&mut self, mut argument: TextArgument<T>) -> TextArgument<T> {
        if let Some(completer) = argument.completer.take() {
            self.complete(argument.name, completer);
        }
        argument
    }

    /// Completes a variable with `completer`.
    #[doc(hidden)]
    pub fn complete(&mut self, variable: &'static str, completer: Completer) {
        self.entry.completers.add(variable, completer);
    }

    /// Builds the entry, whose requests `call` serves.
    #[doc(hidden)]
    #[must_use]
    pub fn entry<C>(self, call: C) -> ResourceEntry
    where
        C: Fn(TextCall<'_>) -> Result<Reply<Contents>, CallRejection> + Send + Sync + 'static,
    {
        let name = self.template.name.clone();
        let held_thread = Arc::<HeldThread>::default();
        let handler = move |incoming: ResourceCall<'_>| {
            let incoming = TextCall {
                texts: incoming.variables,
                context: incoming.context,
            };
            let reply = run(&name, &held_thread, || call(incoming));
            reply.unwrap_or_else(|rejection| Reply::Ready(Contents::rejected(rejection)))
        };
        let mut entry = self.entry;
        entry.handler = Arc::new(handler);
        entry.listed = if entry.template.is_literal() {
            Listed::Resource(Box::new(resource(self.template, self.size)))
        } else {
            Listed::Template(Box::new(self.template))
        };
        entry
    }
}

impl<A> ResourceBuilder<A> {
    fn replace<B>(self, variables: B) -> (ResourceBuilder<B>, A) {
        let builder = ResourceBuilder {
            template: self.template,
            size: self.size,
            entry: self.entry,
            variables,
        };
        (builder, self.variables)
    }

    /// Sets the media type of the contents, such as `text/markdown`.
    #[must_use]
    pub fn mime(mut self, text: impl Into<String>) -> Self {
        self.template.mime_type = Some(text.into());
        self
    }

    /// Sets the size in bytes. Templates have no size.
    #[must_use]
    pub fn size(mut self, bytes: i64) -> Self {
        self.size = Some(bytes);
        self
    }

    /// Sets the audience, the priority and the time of the last change.
    #[must_use]
    pub fn annotations(mut self, annotations: Annotations) -> Self {
        self.template.annotations = Some(annotations);
        self
    }

    /// Sets how long clients may cache the contents, and for whom (2026-07-28, "Caching"). By
    /// default, clients may not cache them.
    #[must_use]
    pub fn cache(mut self, ttl: Duration, scope: CacheScope) -> Self {
        self.entry = self.entry.cache(ttl, scope);
        self
    }

    /// Lets clients subscribe to the resource.
    #[must_use]
    pub fn subscribable(mut self) -> Self {
        self.entry = self.entry.subscribable();
        self
    }
}

/// Sets the function that lists the resources of a template. This is a function for macro output, so
/// that the compiler reports a wrong return type where the user has written it.
pub fn list<F, T>(builder: &mut ResourceBuilder, lister: impl Fn() -> F + Send + Sync + 'static)
where
    F: Future<Output = T> + Send + 'static,
    T: IntoResources,
{
    builder.entry.lister = Some(list_by(&builder.template.name, move |_| lister()));
}

/// Starts the builder for a resource in macro output. The macro has already checked the URI.
pub fn resource_builder(name: &str, uri: &str) -> ResourceBuilder {
    let template = UriTemplate::parse(uri).unwrap_or_else(|_| UriTemplate::literal(uri));
    ResourceBuilder::new(name, template)
}

/// Converts a template without variables into a resource.
fn resource(template: ResourceTemplate, size: Option<i64>) -> Resource {
    let mut resource = Resource::new(template.name, template.uri_template);
    resource.description = template.description;
    resource.title = template.title;
    resource.mime_type = template.mime_type;
    resource.annotations = template.annotations;
    resource.icons = template.icons;
    resource.meta = template.meta;
    resource.size = size.map(i128::from);
    resource
}

impl CallResult for Contents {}

impl Declares for ResourceBuilder {
    fn argument<T>(&mut self, argument: TextArgument<T>) -> TextArgument<T> {
        Self::argument(self, argument)
    }
}

impl<A: TextArguments> ResourceBuilder<A> {
    /// Serves requests with a function that returns the contents.
    pub fn call<R: IntoContents>(
        self,
        function: impl Fn(A::Values, &Context) -> R + Send + Sync + 'static,
    ) -> ResourceEntry {
        let (builder, variables) = self.replace(());
        builder.entry(move |call: TextCall<'_>| {
            let values = variables.read(&call)?;
            ready(R::into_contents, function(values, call.context))
        })
    }

    /// Serves requests with an async function.
    pub fn call_async<F>(
        self,
        function: impl Fn(A::Values, Context) -> F + Send + Sync + 'static,
    ) -> ResourceEntry
    where
        F: Future<Output: IntoContents> + Send + 'static,
    {
        let (builder, variables) = self.replace(());
        builder.entry(move |call: TextCall<'_>| {
            let values = variables.read(&call)?;
            let future = function(values, call.context.clone());
            pending(F::Output::into_contents, future)
        })
    }
}
