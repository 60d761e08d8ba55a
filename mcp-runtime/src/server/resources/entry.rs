//! The entries of resources and templates: their descriptions, and the functions that read them.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::{
    CacheScope, ListResourceTemplatesResult, ListResourcesResult, RawJson, ReadResourceResult,
    Resource, ResourceTemplate, Revision, methods,
};
use serde::Serialize;

use super::uri::normalize;
use super::{Contents, UriTemplate};
use crate::ProtocolError;
use crate::advice::HeldThread;
use crate::error::RequestError;
use crate::layer::McpResponse;
use crate::protocol::{RequestParams, resource_not_found};
use crate::server::catalog::{Caching, CatalogEntry, ListResult, Visibility};
use crate::server::completions::Completers;
use crate::server::handler::{Texts, to_protocol};
use crate::server::layers::{InnermostHandler, Layered, Stack, check_same, typed_result};
use crate::server::{BoxFuture, Context, HandlerError, Reply, Scopes};

/// A resource, or a template of resources, that a server offers.
pub struct ResourceEntry {
    pub(in crate::server) listed: Listed,
    pub(in crate::server) template: UriTemplate,
    pub(in crate::server) handler: Arc<ResourceHandler>,
    pub(in crate::server) layers: Option<Stack>,
    pub(in crate::server) completers: Completers,
    pub(in crate::server) lister: Option<Lister>,
    pub(in crate::server) caching: Caching,
    /// Runs after a client has subscribed to a URI; `None` if clients can't subscribe.
    pub(in crate::server) on_subscribe: Option<Arc<OnSubscribe>>,
    pub(in crate::server) visibility: Visibility<Self>,
    pub(in crate::server) scopes: Scopes,
    /// True if a parameter of the function is a question to the user.
    pub(in crate::server) asks: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(in crate::server) enum Listed {
    Resource(Box<Resource>),
    Template(Box<ResourceTemplate>),
}

impl Listed {
    pub(in crate::server) fn uri_mut(&mut self) -> &mut String {
        match self {
            Self::Resource(resource) => &mut resource.uri,
            Self::Template(template) => &mut template.uri_template,
        }
    }
}

type OnSubscribe = dyn Fn(&str) + Send + Sync;
pub(in crate::server) type ResourceHandler =
    dyn Fn(ResourceCall<'_>) -> Reply<Contents> + Send + Sync;

/// Lists the resources of a template. The list must contain at least the requested part. If it is not
/// complete, it must be sorted by URI.
pub(crate) type Lister = Arc<dyn Fn(ListPart) -> BoxFuture<ListedResources> + Send + Sync>;

pub(in crate::server) type ListedResources = Result<Vec<Resource>, ProtocolError>;

/// A type that the `list` function of a template can return: resources, or a `Result` of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be returned from the `list` of a resource",
    label = "does not return a list of resources",
    note = "return a `Vec<mcp_runtime::types::Resource>`, or a `Result` of one"
)]
pub trait IntoResources {
    /// Converts the value into resources.
    ///
    /// # Errors
    ///
    /// Returns the error that answers `resources/list` instead.
    fn into_resources(self) -> Result<Vec<Resource>, ProtocolError>;
}

impl IntoResources for Vec<Resource> {
    fn into_resources(self) -> Result<Vec<Resource>, ProtocolError> {
        Ok(self)
    }
}

impl<E: HandlerError> IntoResources for Result<Vec<Resource>, E> {
    fn into_resources(self) -> Result<Vec<Resource>, ProtocolError> {
        self.map_err(to_protocol)
    }
}

/// The part of a template's resources that a client has requested. Passed to the function of
/// [`ResourceEntry::list`].
#[derive(Clone, Debug)]
pub struct ListPart {
    pub(in crate::server) context: Context,
    pub(in crate::server) after: Option<String>,
    pub(super) enough: usize,
    /// True if the list is paginated, so that the client may request another part next.
    pub(super) paged: bool,
}

impl ListPart {
    /// The context of the request.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The URI after which the part begins, or `None` for the first part.
    #[must_use]
    pub fn after(&self) -> Option<&str> {
        self.after.as_deref()
    }

    /// The number of resources that are needed, in the order of their URIs. It is `usize::MAX` if all
    /// resources are needed.
    #[must_use]
    pub fn enough(&self) -> usize {
        self.enough
    }
}

/// A request to read a resource.
#[derive(Clone, Copy, Debug)]
pub struct ResourceCall<'a> {
    /// The requested URI as the client spells it. The same resource has many spellings, so base
    /// decisions on `variables` instead.
    pub uri: &'a str,
    /// The decoded values of the template's variables.
    pub variables: &'a Texts,
    /// The context of the request.
    pub context: &'a Context,
}

impl ResourceEntry {
    /// Creates a resource with a fixed URI, which `handler` serves.
    pub fn resource(
        resource: Resource,
        handler: impl Fn(ResourceCall<'_>) -> Reply<Contents> + Send + Sync + 'static,
    ) -> Self {
        let template = UriTemplate::literal(&resource.uri);
        Self::new(Listed::Resource(Box::new(resource)), template, handler)
    }

    /// Creates a template. `handler` serves all resources whose URIs match `template`.
    ///
    /// The value of `listed.uri_template` is replaced with `template`.
    pub fn template(
        mut listed: ResourceTemplate,
        template: UriTemplate,
        handler: impl Fn(ResourceCall<'_>) -> Reply<Contents> + Send + Sync + 'static,
    ) -> Self {
        listed.uri_template = template.to_string();
        Self::new(Listed::Template(Box::new(listed)), template, handler)
    }

    pub(in crate::server) fn new(
        listed: Listed,
        template: UriTemplate,
        handler: impl Fn(ResourceCall<'_>) -> Reply<Contents> + Send + Sync + 'static,
    ) -> Self {
        Self {
            listed,
            template,
            handler: Arc::new(handler),
            layers: None,
            completers: Completers::default(),
            lister: None,
            caching: Caching::default(),
            on_subscribe: None,
            visibility: Visibility::default(),
            scopes: Scopes::default(),
            asks: false,
        }
    }

    /// Lets clients subscribe to the resource. Clients are notified when the server
    /// [announces](crate::Server::notify_resource_updated) a change.
    #[must_use]
    pub fn subscribable(mut self) -> Self {
        self.on_subscribe = Some(Arc::new(|_| {}));
        self
    }

    /// Sets how long clients may cache the contents, and for whom (2026-07-28, "Caching"). The
    /// handler's own answer can override this. By default, clients may not cache the contents.
    #[must_use]
    pub fn cache(mut self, ttl: Duration, scope: CacheScope) -> Self {
        self.caching = Caching::new(ttl, scope);
        self
    }

    /// Adds the resources that `lister` returns to `resources/list`, for a template.
    ///
    /// `lister` gets the requested part of the list. It may return more resources than requested, but
    /// fewer only if there are no more. With pagination, the resources are sorted by URI. If `lister`
    /// fails, its error answers the request.
    #[must_use]
    pub fn list<F, T>(mut self, lister: impl Fn(ListPart) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = T> + Send + 'static,
        T: IntoResources,
    {
        self.lister = Some(list_by(self.template.as_str(), lister));
        self
    }

    pub(in crate::server) fn mime_type(&self) -> Option<String> {
        match &self.listed {
            Listed::Resource(resource) => resource.mime_type.clone(),
            Listed::Template(template) => template.mime_type.clone(),
        }
    }
}

/// Creates a lister. `name` is the name of the template in warnings.
pub(super) fn list_by<F, T>(
    name: &str,
    lister: impl Fn(ListPart) -> F + Send + Sync + 'static,
) -> Lister
where
    F: Future<Output = T> + Send + 'static,
    T: IntoResources,
{
    let name = format!("list of {name}");
    let held_thread = Arc::<HeldThread>::default();
    Arc::new(move |part| {
        let found = lister(part);
        let found = Box::pin(async move { found.await.into_resources() });
        held_thread.future(&name, found)
    })
}

impl fmt::Debug for ResourceEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ResourceEntry")
            .field(&self.template.as_str())
            .finish()
    }
}

impl CatalogEntry for ResourceEntry {
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

    fn visibility(&self) -> &Visibility<Self> {
        &self.visibility
    }

    fn needed_scopes(&self) -> &Scopes {
        &self.scopes
    }

    fn completes(&self) -> bool {
        !self.completers.is_empty()
    }

    fn layered(mut self) -> Self {
        let layers = self.layers.take();
        self.handler = around_resource(layers.as_ref(), &self, Arc::clone(&self.handler));
        self
    }
}

impl ListResult for ListResourcesResult {
    type Entry = ResourceEntry;
    type Item = Resource;

    const NUMBER: usize = 2;

    fn item(entry: &ResourceEntry, _: Revision) -> Option<Resource> {
        match &entry.listed {
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
    type Entry = ResourceEntry;
    type Item = ResourceTemplate;

    const NUMBER: usize = 3;

    fn item(entry: &ResourceEntry, _: Revision) -> Option<ResourceTemplate> {
        match &entry.listed {
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

pub(in crate::server) fn around_resource(
    layers: Option<&Stack>,
    entry: &ResourceEntry,
    handler: Arc<ResourceHandler>,
) -> Arc<ResourceHandler> {
    #[derive(Serialize)]
    struct Params<'a> {
        uri: &'a str,
    }

    let Some(layers) = layers else { return handler };
    let layered = Layered::new(methods::RESOURCES_READ, layers.outermost());
    let name: Arc<str> = entry.name().into();
    let mime_type = entry.mime_type();
    Arc::new(move |call: ResourceCall<'_>| {
        let uri = call.uri;
        let params = RawJson::encode(&Params { uri });
        let missing = RequestError::ResourceNotFound {
            uri: uri.to_owned(),
            code: resource_not_found(call.context.revision()),
        };
        let missing = missing.to_error();
        let reading = LayeredRead {
            handler: Arc::clone(&handler),
            entry: Arc::clone(&name),
            mime_type: mime_type.clone(),
            uri: uri.to_owned(),
            variables: call.variables.clone(),
            missing: missing.clone(),
        };
        let inner = InnermostHandler::new(move |params, context| reading.read(params, context));
        let outcome = layered.call(Some(params), call.context, inner);
        Reply::Pending(Box::pin(async move {
            match outcome.await {
                Ok(body) => {
                    let result = typed_result::<ReadResourceResult>(body)?;
                    Ok(Contents::Whole(Box::new(result)))
                }
                // A server that mounts this one uses another URI, so it has to make its own error.
                Err(error) if error == missing => Ok(Contents::Missing),
                Err(error) => Err(error),
            }
        }))
    })
}

/// A request for a resource, inside the layers of its entry.
struct LayeredRead {
    handler: Arc<ResourceHandler>,
    entry: Arc<str>,
    mime_type: Option<String>,
    /// The URI before a layer could replace it.
    uri: String,
    variables: Texts,
    missing: ProtocolError,
}

impl LayeredRead {
    /// Reads the resource. If a layer has replaced the URI, looks the URI up again and checks that it
    /// leads to the same entry.
    fn read(
        &self,
        params: &RequestParams<'_>,
        context: &Context,
    ) -> Result<Reply<McpResponse>, RequestError> {
        let uri = params.uri()?;
        let resources = &context.server().router().resources;
        let find = || resources.find_for(&uri, "params.uri", context);
        let found = (uri != self.uri).then(find).transpose()?;
        if let Some(found) = &found {
            check_same("uri", found.entry.name(), &self.entry)?;
        }
        let reply = (self.handler)(ResourceCall {
            uri: &uri,
            variables: found.as_ref().map_or(&self.variables, |it| &it.variables),
            context,
        });
        let uri = uri.into_owned();
        let mime_type = self.mime_type.clone();
        let missing = self.missing.clone();
        let revision = context.revision();
        Ok(reply.then(move |contents| match contents {
            Contents::Missing => Err(missing),
            contents => contents
                .result(uri, mime_type, revision)
                .map(McpResponse::typed),
        }))
    }
}
