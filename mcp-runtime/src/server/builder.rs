//! Builder of servers.

use std::mem;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::{CacheScope, ClientCapabilities, Implementation, Revisions};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::catalog::{Caching, Mount, Namespace, Registry};
use super::extensions::{self, Method};
use super::input::{self, AskError, form};
use super::serve::hooks;
use super::{
    Context, Endpoint, Extension, HandlerError, Initialized, IntoHookResult, List, Serve, Server,
    Settings, layers,
};
use crate::layer::{Next, RequestLayer, RequestService, Stack};
use crate::protocol::{ExtensionMethod, Requirement};

/// Builder of a [`Server`]: its settings, and its tools, prompts and resources.
///
/// The methods take `&mut self`, as those of tokio's `runtime::Builder`, because `#[mcp_server]`,
/// [`Extension::register`] and functions of yours add to a builder that they borrow.
#[derive(Debug, Default)]
pub struct ServerBuilder {
    pub(super) settings: Settings,
    pub(super) registry: Registry,
}

impl ServerBuilder {
    /// Sets the server's name, for programs; `mcp-server` by default.
    pub fn name(&mut self, name: impl Into<String>) -> &mut Self {
        self.settings.info.name = name.into();
        self
    }

    /// Sets the server's version; `0.0.0` by default.
    pub fn version(&mut self, version: impl Into<String>) -> &mut Self {
        self.settings.info.version = version.into();
        self
    }

    /// Sets the server's name, version, title, icons and more.
    pub fn info(&mut self, info: Implementation) -> &mut Self {
        self.settings.info = info;
        self
    }

    /// Sets the instructions for models that use the server.
    pub fn instructions(&mut self, instructions: impl Into<String>) -> &mut Self {
        self.registry.introduction.instruct(instructions.into());
        self
    }

    /// Sets the revisions that are served; all by default.
    pub fn revisions(&mut self, revisions: Revisions) -> &mut Self {
        self.settings.rules.supported = revisions;
        self
    }

    /// Allows clients to cache the lists of tools, prompts and resources for `ttl` (2026-07-28,
    /// "Caching"). By default they may not.
    pub fn cache(&mut self, ttl: Duration, scope: CacheScope) -> &mut Self {
        self.settings.caching = Caching::new(ttl, scope);
        self
    }

    /// Sets the number of items on a page of the lists; by default all are on one page (2026-07-28,
    /// "Pagination"). Cursors stay valid when items are added or removed: none is skipped, and none
    /// is listed twice.
    pub fn page_size(&mut self, items: NonZeroUsize) -> &mut Self {
        self.settings.page_size = Some(items);
        self
    }

    /// Declares the lists that can change while the server runs, by [`Server::edit`] or because a
    /// template's resources come and go (`listChanged`). All other lists stay as they were built.
    pub fn list_changed(&mut self, lists: impl IntoIterator<Item = List>) -> &mut Self {
        self.settings.list_changed.extend(lists);
        self
    }

    /// Adds OAuth scopes that a caller needs for each operation: calls of tools, prompts and
    /// resources, completions, subscriptions to resources, and methods of extensions; those that
    /// an entry needs come on top. Over HTTP and WebSocket, the access policy has the check of them
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
    /// When a text is no scope (RFC 6749, section 3.3).
    #[track_caller]
    pub fn scopes<S: Into<String>>(&mut self, scopes: impl IntoIterator<Item = S>) -> &mut Self {
        self.settings.scopes.add(scopes);
        self
    }

    /// Lists only the tools, prompts, resources and templates for which the caller has the scopes.
    /// By default all are listed, so that clients learn what they can ask for more scopes for; a
    /// call without them is denied either way. Lists that differ between callers are marked private
    /// (2026-07-28, "Caching").
    pub fn filter_by_scopes(&mut self) -> &mut Self {
        self.settings.filter_by_scopes = true;
        self
    }

    /// Serves only clients with these capabilities. Others get an error that names the missing
    /// ones, at the handshake or for each stateless request but `server/discover`.
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

    /// Offers an extension of the protocol (SEP-2133): declares it with its settings, and adds what it
    /// [registers](Extension::register). One of a mounted server is offered as well, unless this server
    /// has its identifier.
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
    /// When the server has an extension with this identifier.
    #[track_caller]
    pub fn extension(&mut self, extension: impl Extension) -> &mut Self {
        let extension = Arc::new(extension);
        let before = self.settings.extensions.add(Arc::clone(&extension) as _);
        extension.register(self);
        self.settings.extensions.done(before);
        self
    }

    /// Serves a method of an extension: `function` gets the parameters, and returns a result that
    /// is an object. Parameters that do not fit are refused with "Invalid params"; in 2026-07-28
    /// they always include `_meta`.
    ///
    /// # Panics
    ///
    /// When the method is one of the protocol's own.
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

    /// Serves a method of an extension by a service, which gets the request with its context; as
    /// [`method`](Self::method) does by a function.
    ///
    /// Each request clones the service, waits until it is ready, and calls it. Its errors are
    /// answered as those of [layers](crate::layer::BoxError).
    ///
    /// # Panics
    ///
    /// When the method is one of the protocol's own.
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

    /// Adds a layer around each request that the server has admitted, inside of those added before.
    ///
    /// It sees requests of all transports and revisions but `initialize`, and a `ping` before the
    /// handshake; see [`layer`](crate::layer). The layers of a mounted server stand around its
    /// tools, prompts, resources and methods, inside of those of the outer server.
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

    /// Declares logging: messages of [`Context::log`](super::Context::log) are sent to clients.
    /// Otherwise they are dropped.
    pub fn logging(&mut self) -> &mut Self {
        self.settings.logging = true;
        self
    }

    /// Runs `hook` each time before the server is served, for example to open a database. It gets the
    /// server, to [announce changes](Server::notify_changed).
    ///
    /// Hooks run in the order in which they were added. An error ends serving with
    /// [`ServeError::Start`](crate::ServeError::Start). The value of a `Result` is kept, and dropped
    /// when the server has been served, after [`on_shutdown`](Self::on_shutdown): a hook that starts a
    /// watcher returns the watcher.
    ///
    /// ```
    /// use mcp_runtime::Server;
    ///
    /// let mut server = Server::builder();
    /// server
    ///     .on_start(|_| async { std::fs::create_dir_all("state") })
    ///     .on_initialized(|client| async move { drop(client.revision()) })
    ///     .on_shutdown(|| async { std::fs::remove_dir_all("state") });
    /// # drop(server.build());
    /// ```
    pub fn on_start<F>(&mut self, hook: impl Fn(Server) -> F + Send + Sync + 'static) -> &mut Self
    where
        F: Future<Output: IntoHookResult> + Send + 'static,
    {
        self.settings.hooks.start.push(hooks::hook(hook));
        self
    }

    /// Calls `hook` once a listener is open, with its place: a URL such as `http://127.0.0.1:8080/mcp`,
    /// `tcp://127.0.0.1:8080` or `ws://127.0.0.1:8080`, or `unix:` and the path of the socket. The port is
    /// the one that the system has chosen where the address has the port 0. Single connections, such
    /// as [`stdio`](crate::transport::stdio()), and services that a program mounts have no place.
    ///
    /// ```
    /// # let mut server = mcp_runtime::Server::builder();
    /// server.on_listening(|place| println!("{place}"));
    /// # drop(server.build());
    /// ```
    pub fn on_listening(&mut self, hook: impl Fn(&str) + Send + Sync + 'static) -> &mut Self {
        self.settings.hooks.listening.push(Arc::new(hook));
        self
    }

    /// Runs `hook` after each handshake, once for each connection or HTTP session, concurrently
    /// with its calls. Stateless clients have no handshake.
    ///
    /// An error is logged; the connection goes on.
    pub fn on_initialized<F>(
        &mut self,
        hook: impl Fn(Initialized) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        F: Future<Output: IntoHookResult> + Send + 'static,
    {
        self.settings.hooks.initialized.push(hooks::hook(hook));
        self
    }

    /// Runs `hook` each time after the server was served: all calls are finished or cancelled, all
    /// connections closed. For example to release what [`on_start`](Self::on_start) has opened.
    ///
    /// Hooks run in the reverse of the order in which they were added, all of them, also when
    /// serving has failed, but not when `on_start` has. An error is logged, and returned as
    /// [`ServeError::Shutdown`](crate::ServeError::Shutdown) unless there is another one. A second
    /// SIGTERM or Ctrl-C cuts them short.
    pub fn on_shutdown<F>(&mut self, hook: impl Fn() -> F + Send + Sync + 'static) -> &mut Self
    where
        F: Future<Output: IntoHookResult> + Send + 'static,
    {
        self.settings
            .hooks
            .shutdown
            .push(hooks::hook(move |()| hook()));
        self
    }

    /// The time that a user has to answer a question of a handler; 10 minutes by default. Then the
    /// handler gets a timeout, and the request to the client is cancelled.
    ///
    /// For clients of the handshake era. In the stateless era no request waits: clients have 10
    /// minutes to retry with their answers.
    pub fn input_timeout(&mut self, timeout: Duration) -> &mut Self {
        self.settings.input_timeout = timeout;
        self
    }

    /// Checks that the protocol has a form for `T`, so that a mistake that
    /// [`#[derive(Elicit)]`](derive@crate::Elicit) can't see, such as a field under
    /// `#[schemars(with = "…")]`, shows when the server is built and not when the user is asked.
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
    /// [`AskError::Question`] with the field that no form can have.
    pub fn form<T: JsonSchema>(&mut self) -> Result<&mut Self, AskError> {
        form::schema::<T>(form::ONLY_FIELD)?;
        Ok(self)
    }

    /// The keys that seal the state of calls while clients of the stateless era collect answers.
    /// The first one seals, all of them open. By default a random key of the process.
    ///
    /// Replicas of a server need the same keys. To change the key, put the new one after the old
    /// one everywhere, then before it, and remove the old one ten minutes later, when all that it
    /// sealed has expired.
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

    /// Adds all entries of `server`, under names and URIs that begin with `prefix`: the tool
    /// `search` becomes `gh_search`, the resource `repo://main` becomes `gh+repo://main`. With an
    /// empty prefix, all keep their names. Of entries with the same name, this server's own is
    /// offered, or else that of the server mounted first. The others are hidden, with a warning of
    /// `tracing`, until that one is removed.
    ///
    /// Changes of the mounted server appear here, and clients are notified. A handler's
    /// [`Context::server`](crate::Context::server) is the server that it belongs to.
    ///
    /// Settings of the whole server are joined: its instructions follow those of this one, under a
    /// heading that names the prefix, if there is one; its experimental capabilities are offered;
    /// its extensions are declared and their methods served, its hooks run where it was mounted
    /// among those of this one (of an extension that several have, the settings and methods are those of
    /// this one, or else of the server mounted first), clients have to have what either of them
    /// [requires](Self::requires), and get the log messages of its handlers; its
    /// [scopes](Self::scopes) are needed for what is its own, and lists are
    /// [filtered](Self::filter_by_scopes) if either of them filters. Page size, caching, revisions,
    /// name and state keys are those of this one.
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
    /// When the prefix is neither empty nor a letter followed by letters, digits, `-` and `.`.
    pub fn mount(&mut self, prefix: impl Into<String>, server: impl Into<Server>) -> &mut Self {
        let server = server.into();
        // Under a second prefix it is still one server, which starts once.
        if !is_mounted(&self.registry.mounts, &server) {
            self.settings.hooks.mount(&server.settings().hooks);
        }
        self.settings
            .list_changed
            .extend(&server.settings().list_changed);
        self.registry.mounts.push(Arc::new(Mount {
            namespace: Namespace::new(&prefix.into()),
            server,
        }));
        self
    }

    /// Builds the server. It takes everything out of the builder, which is empty afterwards.
    ///
    /// ```
    /// use mcp_runtime::Server;
    /// use mcp_runtime::server::tools::{ToolBuilder, argument};
    ///
    /// let double = ToolBuilder::new("double").arguments((argument::<i64>("number"),));
    /// let server = Server::builder()
    ///     .name("arithmetic")
    ///     .tool(double.call(|(number,), _| number * 2))
    ///     .build();
    /// assert_eq!(server.tools()[0].name, "double");
    /// ```
    #[must_use]
    pub fn build(&mut self) -> Server {
        let Self {
            mut settings,
            mut registry,
        } = mem::take(self);
        join_settings(&mut settings, &registry.mounts);
        settings.rules.own_methods = settings.extensions.methods().collect();
        for index in 0..registry.mounts.len() {
            registry.update_mounted(index);
        }
        Server::with_registry(settings, registry)
    }

    /// [Builds](Self::build) the server and serves it, as [`Server::serve`] does. The returned
    /// value has to be awaited.
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
    /// As [`build`](Self::build).
    pub fn serve<E: Endpoint>(&mut self, endpoint: E) -> Serve<E> {
        self.build().serve(endpoint)
    }
}

impl Server {
    /// A builder of a server.
    #[must_use]
    pub fn builder() -> ServerBuilder {
        ServerBuilder::default()
    }
}

fn is_mounted(mounts: &[Arc<Mount>], server: &Server) -> bool {
    let mut mounts = mounts.iter();
    mounts.any(|mount| Arc::ptr_eq(&mount.server.state, &server.state))
}

/// Adds to the settings of a server those of its mounts that hold for it as a whole.
fn join_settings(settings: &mut Settings, mounts: &[Arc<Mount>]) {
    for (index, mount) in mounts.iter().enumerate() {
        let theirs = mount.server.settings();
        settings.logging |= theirs.logging;
        settings.filter_by_scopes |= theirs.filter_by_scopes;
        let requirement = &mut settings.rules.requirement;
        *requirement = requirement.and(&theirs.rules.requirement);
        if !is_mounted(&mounts[..index], &mount.server) {
            let server = mount.server.clone();
            let at = move |context: &Context| context.at(&server);
            let extensions = &mut settings.extensions;
            extensions.mount(&theirs.extensions, &theirs.scopes, &theirs.layers, at);
        }
    }
}
