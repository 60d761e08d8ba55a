//! The description of a resource or template, step by step, and the entries made of it.

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

/// Describes a resource or template, and makes an entry of it and a function.
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
    /// The entry, which gets its handler and description by [`entry`](Self::entry).
    pub(in crate::server) entry: ResourceEntry,
    variables: A,
}

impl ResourceBuilder {
    /// The resource called `name` under `uri`, or the resources where that has variables.
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

    /// Reads the variables of the template; each has to be one that it has.
    pub fn variables<A: TextArguments>(mut self, variables: A) -> ResourceBuilder<A> {
        let variables = variables.declare(&mut self);
        self.replace(variables).0
    }

    /// Adds a variable of the template.
    pub fn argument<T>(&mut self, mut argument: TextArgument<T>) -> TextArgument<T> {
        if let Some(completer) = argument.completer.take() {
            self.complete(argument.name, completer);
        }
        argument
    }

    /// Completes a variable by `completer`.
    #[doc(hidden)]
    pub fn complete(&mut self, variable: &'static str, completer: Completer) {
        self.entry.completers.add(variable, completer);
    }

    /// The entry; `call` serves each request.
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
    /// The same with other variables, and its own.
    fn replace<B>(self, variables: B) -> (ResourceBuilder<B>, A) {
        let builder = ResourceBuilder {
            template: self.template,
            size: self.size,
            entry: self.entry,
            variables,
        };
        (builder, self.variables)
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

    /// Sets audience, priority and time of the last change.
    #[must_use]
    pub fn annotations(mut self, annotations: Annotations) -> Self {
        self.template.annotations = Some(annotations);
        self
    }

    /// Sets how long clients may keep the contents, and the scope (2026-07-28, "Caching"). Unless
    /// set, they may not keep them.
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

/// Finds what `resources/list` shows of a template. A function, so that a wrong return type is
/// reported where it is called.
pub fn list<F, T>(builder: &mut ResourceBuilder, lister: impl Fn() -> F + Send + Sync + 'static)
where
    F: Future<Output = T> + Send + 'static,
    T: IntoResources,
{
    builder.entry.lister = Some(list_by(&builder.template.name, move |_| lister()));
}

/// The resource that a macro has found in the user's code; it has checked the URI.
pub fn resource_builder(name: &str, uri: &str) -> ResourceBuilder {
    let template = UriTemplate::parse(uri).unwrap_or_else(|_| UriTemplate::literal(uri));
    ResourceBuilder::new(name, template)
}

/// The resource that a template without variables is.
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
    /// Serves each request by a function that answers at once.
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

    /// Serves each request by a function that answers later.
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
