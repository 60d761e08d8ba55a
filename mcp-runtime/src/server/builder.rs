//! The server builder.

use std::mem;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::{CacheScope, ClientCapabilities, Implementation, Revisions};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::catalog::{Caching, Mount, Registry};
use super::extensions::{self, Method};
use super::input::{self, AskError, form};
use super::{Context, Endpoint, Extension, HandlerError, List, Serve, Server, Settings, layers};
use crate::deprecations;
use crate::layer::{Next, RequestLayer, RequestService, Stack};
use crate::protocol::{ExtensionMethod, Requirement};

/// Builds a [`Server`] from settings, tools, prompts and resources.
///
/// Like the methods of tokio's `runtime::Builder`, the methods take `&mut self`, so that
/// `#[mcp_server]`, [`Extension::register`] and your own functions can add to a borrowed builder.
#[derive(Debug, Default)]
pub struct ServerBuilder {
    pub(crate) settings: Settings,
    pub(super) registry: Registry,
}

impl ServerBuilder {
    /// Sets the server's name for programs. The default is `mcp-server`.
    pub fn name(&mut self, name: impl Into<String>) -> &mut Self {
        self.settings.info.name = name.into();
        self
    }

    /// Sets the server's version. The default is `0.0.0`.
    pub fn version(&mut self, version: impl Into<String>) -> &mut Self {
        self.settings.info.version = version.into();
        self
    }

    /// Sets the server's name, version, title, icons and other information.
    pub fn info(&mut self, info: Implementation) -> &mut Self {
        self.settings.info = info;
        self
    }

    /// Sets the instructions for models that use the server.
    pub fn instructions(&mut self, instructions: impl Into<String>) -> &mut Self {
        self.registry.introduction.instruct(instructions.into());
        self
    }

    /// Sets the revisions that the server supports. By default, it supports all known revisions.
    pub fn revisions(&mut self, revisions: Revisions) -> &mut Self {
        self.settings.rules.supported = revisions;
        self
    }

    /// Allows clients to cache the lists of tools, prompts and resources for `ttl` (2026-07-28,
    /// "Caching"). By default, clients may not cache them.
    pub fn cache(&mut self, ttl: Duration, scope: CacheScope) -> &mut Self {
        self.settings.caching = Caching::new(ttl, scope);
        self
    }

    /// Sets the number of items on a page of a list (2026-07-28, "Pagination"). By default, all items
    /// are on one page. Cursors stay valid while items are added or removed: no item is skipped or
    /// listed twice.
    pub fn page_size(&mut self, items: NonZeroUsize) -> &mut Self {
        self.settings.page_size = Some(items);
        self
    }

    /// Declares the lists that can change while the server runs (`listChanged`), with
    /// [`Server::edit`] or because the resources of a template come and go. Other lists can't change.
    pub fn list_changed(&mut self, lists: impl IntoIterator<Item = List>) -> &mut Self {
        self.settings.list_changed.extend(lists);
        self
    }

    /// Adds OAuth scopes that a caller needs for every operation: using tools, prompts and resources,
    /// completing arguments, subscribing to resources, and calling methods of extensions. An entry
    /// can require additional scopes.
    ///
    /// Over HTTP and WebSocket, the access policy decides how scopes are checked
    /// (`transport::http::ScopeCheck`). Over other transports, scopes have no effect.
    ///
    /// ```
    /// use mcp_runtime::Server;
    ///
    /// let server = Server::builder().scopes(["files:read"]).build();
    /// # drop(server);
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if a string is not a scope (RFC 6749, section 3.3).
    #[track_caller]
    pub fn scopes<S: Into<String>>(&mut self, scopes: impl IntoIterator<Item = S>) -> &mut Self {
        self.settings.scopes.add(scopes);
        self
    }

    /// Lists only the tools, prompts, resources and templates for which the caller has the scopes.
    ///
    /// By default, all entries are listed, so that clients know for which of them they can request
    /// more scopes. A call without the scopes is denied in both cases. Lists that differ between
    /// callers are marked private (2026-07-28, "Caching").
    pub fn filter_by_scopes(&mut self) -> &mut Self {
        self.settings.filter_by_scopes = true;
        self
    }

    /// Serves only clients that have these capabilities. Other clients get an error that names the
    /// missing capabilities, either at the handshake or for each stateless request except
    /// `server/discover`.
    ///
    /// ```
    /// use mcp_runtime::Server;
    /// use mcp_runtime::types::{ClientCapabilities, ClientCapabilitiesSampling};
    ///
    /// let mut server = Server::builder();
    /// let sampling = ClientCapabilitiesSampling::new();
    /// server.requires(&ClientCapabilities::new().with_sampling(sampling));
    /// # drop(server.build());
    /// ```
    pub fn requires(&mut self, capabilities: &ClientCapabilities) -> &mut Self {
        self.settings.rules.requirement = Requirement::new(capabilities);
        self
    }

    /// Offers a protocol extension (SEP-2133): declares it with its settings, and adds everything
    /// that it [registers](Extension::register). The extensions of a mounted server are offered as
    /// well, unless this server has an extension with the same identifier.
    ///
    /// ```
    /// use mcp_runtime::Server;
    /// use mcp_runtime::types::JsonObject;
    ///
    /// let mut server = Server::builder();
    /// server.extension(("com.example/clock", JsonObject::new()));
    /// # drop(server.build());
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if the server already has an extension with this identifier.
    #[track_caller]
    pub fn extension(&mut self, extension: impl Extension) -> &mut Self {
        let extension = Arc::new(extension);
        let before = self.settings.extensions.add(Arc::clone(&extension) as _);
        extension.register(self);
        self.settings.extensions.done(before);
        self
    }

    /// Serves a method of an extension. `function` takes the parameters and returns a result, which
    /// must serialize to an object. Parameters that do not match `P` are refused with "Invalid
    /// params". In 2026-07-28, parameters always include `_meta`.
    ///
    /// # Panics
    ///
    /// Panics if the method belongs to the core protocol.
    pub fn method<P, F, R, E>(
        &mut self,
        method: impl Into<ExtensionMethod>,
        function: impl Fn(P, Context) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        P: DeserializeOwned,
        F: Future<Output = Result<R, E>> + Send + 'static,
        R: Serialize,
        E: HandlerError,
    {
        self.add_method(method.into(), extensions::typed(function))
    }

    /// Serves a method of an extension with a service, which gets the request and its context. To
    /// serve it with a function, use [`method`](Self::method).
    ///
    /// Each request clones the service, waits until the clone is ready, and calls it. Errors of the
    /// service are answered like errors of [layers](crate::layer::BoxError).
    ///
    /// # Panics
    ///
    /// Panics if the method belongs to the core protocol.
    pub fn method_service(
        &mut self,
        method: impl Into<ExtensionMethod>,
        service: impl RequestService,
    ) -> &mut Self {
        let method = method.into();
        let serve = layers::method_of_service(method.name(), Next::new(service));
        self.add_method(method, serve)
    }

    #[track_caller]
    fn add_method(&mut self, method: ExtensionMethod, serve: Arc<Method>) -> &mut Self {
        self.settings.extensions.add_method(method, serve);
        self
    }

    /// Adds a layer around each request that the server has admitted. Layers that were added before
    /// wrap this one.
    ///
    /// The layer sees the requests of all transports and revisions, except `initialize` and a `ping`
    /// before the handshake; see [`layer`](crate::layer). The layers of a mounted server wrap its
    /// tools, prompts, resources and methods, inside the layers of the outer server.
    ///
    /// ```
    /// use mcp_runtime::Server;
    /// use mcp_runtime::layer::{McpRequest, Next, from_fn};
    ///
    /// let mut server = Server::builder();
    /// server.layer(from_fn(async |request: McpRequest, next: Next| {
    ///     println!("{}", request.method());
    ///     next.run(request).await
    /// }));
    /// # drop(server.build());
    /// ```
    pub fn layer(&mut self, layer: impl RequestLayer) -> &mut Self {
        Stack::push(&mut self.settings.layers, layer);
        self
    }

    /// Declares logging, so that messages of [`Context::log`](super::Context::log) are sent to
    /// clients. Without it they are dropped.
    #[deprecated(
        note = "logging to clients is deprecated since 2026-07-28 (SEP-2577), and may be removed from 2027-07-28 on: \
                log to standard error, or use OpenTelemetry"
    )]
    pub fn logging(&mut self) -> &mut Self {
        deprecations::LOGGING.warn();
        self.settings.logging = true;
        self
    }

    /// Sets how long a user has to answer a question of a handler. The default is 10 minutes. After
    /// this time the handler gets a timeout error, and the request to the client is cancelled.
    ///
    /// Applies to clients of the handshake era. In the stateless era no request waits for an answer,
    /// and clients always have 10 minutes to retry with their answers.
    pub fn input_timeout(&mut self, timeout: Duration) -> &mut Self {
        self.settings.input_timeout = timeout;
        self
    }

    /// Checks that `T` can be asked for in a form. [`#[derive(Elicit)]`](derive@crate::Elicit) can't
    /// see every mistake, such as a field with `#[schemars(with = "…")]`. With this check, such a
    /// mistake is found when the server is built, not when a user is asked.
    ///
    /// ```
    /// use mcp_runtime::prelude::*;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Trip {
    ///     city: String,
    /// }
    ///
    /// let mut server = mcp_runtime::Server::builder();
    /// server.form::<Trip>()?;
    /// assert!(server.form::<Vec<Trip>>().is_err());
    /// # Ok::<_, AskError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`AskError::Question`] with the field that a form can't contain.
    pub fn form<T: JsonSchema>(&mut self) -> Result<&mut Self, AskError> {
        form::schema::<T>(form::ONLY_FIELD)?;
        Ok(self)
    }

    /// Sets the keys that encrypt the state of calls while clients of the stateless era collect
    /// answers. The first key encrypts, and all keys decrypt. By default, each process uses a random
    /// key.
    ///
    /// Replicas of a server need the same keys. To rotate the key, first add the new key after the
    /// old key on all replicas, then swap their order. Ten minutes later, when the state that was
    /// encrypted with the old key has expired, remove the old key.
    ///
    /// ```
    /// use mcp_runtime::Server;
    /// use mcp_runtime::input::StateKey;
    ///
    /// # let (new, old) = ([1; 32], [2; 32]);
    /// let mut server = Server::builder();
    /// server.state_keys([StateKey::new(new), StateKey::new(old)]);
    /// ```
    #[cfg(feature = "seal")]
    pub fn state_keys(&mut self, keys: impl IntoIterator<Item = input::StateKey>) -> &mut Self {
        self.settings.retry_states = input::RetryStates::new(keys);
        self
    }

    /// Adds all entries of `server` with names and URIs that begin with `prefix`: with the prefix
    /// `gh`, the tool `search` becomes `gh_search`, and the resource `repo://main` becomes
    /// `gh+repo://main`. With an empty prefix, entries keep their names.
    ///
    /// The page of an app keeps its scheme, because hosts refuse pages with other URIs: `ui://clock`
    /// becomes `ui://gh/clock`, with the prefix in lower case. The URIs of pages in the `_meta` of
    /// tools get the same prefix.
    ///
    /// If several entries have the same name, the entry of this server wins, then the entry of the
    /// server mounted first. The other entries are hidden until the first is removed, and a warning
    /// is logged.
    ///
    /// Changes of the mounted server also appear here, and clients are notified. A handler's
    /// [`Context::server`](crate::Context::server) is the server that the handler belongs to.
    ///
    /// The settings of both servers are combined:
    ///
    /// - The instructions of the mounted server follow those of this server, under a heading that
    ///   names the prefix.
    /// - Its experimental capabilities and extensions are offered. If several servers have the same
    ///   extension, this server's settings and methods win, then those of the server mounted first.
    /// - Its hooks run among the hooks of this server, in the order of registration and mounting.
    /// - Clients need the capabilities that either server [requires](Self::requires).
    /// - Clients get the log messages of its handlers if either server declares logging.
    /// - Its [scopes](Self::scopes) are needed for its own entries, and lists are
    ///   [filtered](Self::filter_by_scopes) if either server filters them.
    ///
    /// Page size, caching, revisions, name and state keys are taken from this server.
    ///
    /// ```
    /// use mcp_runtime::Server;
    /// use mcp_runtime::server::tools::{ToolBuilder, argument};
    ///
    /// let mut github = Server::builder();
    /// let search = ToolBuilder::new("search").arguments((argument::<String>("text"),));
    /// github.tool(search.call(|(text,), _| format!("nothing about {text}")));
    ///
    /// let mut server = Server::builder();
    /// server.mount("gh", github.build());
    /// assert_eq!(server.build().tools()[0].name, "gh_search");
    /// ```
    ///
    /// # Panics
    ///
    /// Panics unless the prefix is empty or a letter followed by letters, digits, `-` and `.`. For a
    /// name that is not a literal, call [`mount_prefix`](super::mount_prefix). Also panics if the server
    /// is a proxy, which has no entries.
    pub fn mount(&mut self, prefix: impl Into<String>, server: impl Into<Server>) -> &mut Self {
        let server = server.into();
        // A server that is mounted twice is still one server, so its hooks run only once.
        if !self.registry.is_mounted(&server) {
            self.settings.hooks.mount(&server.settings().hooks);
        }
        self.settings
            .list_changed
            .extend(&server.settings().list_changed);
        let mount = Mount::new(&prefix.into(), server);
        self.registry.mounts.push(Arc::new(mount));
        self
    }

    /// Builds the server. The builder is empty afterwards.
    ///
    /// ```
    /// use mcp_runtime::Server;
    /// use mcp_runtime::server::tools::{ToolBuilder, argument};
    ///
    /// let double = ToolBuilder::new("double").arguments((argument::<i64>("number"),));
    /// let double = double.call(|(number,), _| number * 2);
    /// let server = Server::builder().name("arithmetic").tool(double).build();
    /// assert_eq!(server.tools()[0].name, "double");
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if the server is a proxy, but has tools, prompts or resources of its own.
    #[must_use]
    #[track_caller]
    pub fn build(&mut self) -> Server {
        let Self {
            mut settings,
            mut registry,
        } = mem::take(self);
        registry.join_settings(&mut settings);
        let relayed = settings.rules.own_methods.iter().cloned();
        settings.rules.own_methods = relayed.chain(settings.extensions.methods()).collect();
        for index in 0..registry.mounts.len() {
            registry.update_mounted(index);
        }
        Server::with_registry(settings, registry)
    }

    /// [Builds](Self::build) the server and serves it like [`Server::serve`]. Nothing is served until
    /// the returned value is awaited.
    ///
    /// ```
    /// use mcp_runtime::Server;
    /// use mcp_runtime::transport::memory;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let (client, server) = memory::pair();
    /// let serving = Server::builder().name("nothing").serve(server);
    /// drop(client);
    /// serving.await.unwrap();
    /// # });
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if [`build`](Self::build) panics.
    #[track_caller]
    pub fn serve<E: Endpoint>(&mut self, endpoint: E) -> Serve<E> {
        self.build().serve(endpoint)
    }
}

impl Server {
    /// Starts building a server.
    #[must_use]
    pub fn builder() -> ServerBuilder {
        ServerBuilder::default()
    }
}
