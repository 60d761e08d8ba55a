//! Putting a server together.

use std::sync::Arc;
use std::time::Duration;

use mcp_types::{CacheScope, Implementation, Revisions, Tool};

use super::caching::Caching;
use super::changes::{Change, Changes};
use super::prompts::PromptRoute;
use super::resources::ResourceRoute;
use super::router::Router;
use super::tools::ToolRoute;
use super::{Conversation, Endpoint, OfferedPrompt, OfferedResource, OfferedTool};

/// A server, ready to serve connections. Cloning is cheap: the clones share everything.
///
/// ```
/// use mcp_runtime::Server;
///
/// let mut server = Server::builder();
/// server.name("empty").version("1.0.0").instructions("There is nothing here.");
/// let server = server.build();
/// # drop(server);
/// ```
#[derive(Clone, Debug)]
pub struct Server {
    router: Arc<Router>,
    changes: Changes,
}

impl Server {
    /// Begins a server without tools.
    #[must_use]
    pub fn builder() -> ServerBuilder {
        ServerBuilder::default()
    }

    /// Serves one connection until the peer closes it, or all that come to an address; either way
    /// until the process is told to end.
    ///
    /// Nothing happens until the value is awaited.
    pub fn serve<E: Endpoint>(&self, endpoint: E) -> E::Serve {
        endpoint.serve(self.clone())
    }

    /// The tools, in the order in which they are listed.
    pub fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.router.tools()
    }

    /// Tells the clients that want to know of it that something has changed: those of the handshake
    /// era by a notification, those without one where they listen. Never waits for any of them;
    /// what changes often is said once in a while.
    ///
    /// Clients are told of lists where [`ServerBuilder::list_changed`] says so, and of resources
    /// that can be subscribed to.
    pub fn notify_changed(&self, change: Change) {
        self.changes.publish(change);
    }

    /// Tells the clients that have subscribed to the resource under `uri` that it has changed.
    pub fn notify_resource_updated(&self, uri: impl Into<String>) {
        self.notify_changed(Change::Resource(uri.into()));
    }

    /// What is kept of one client.
    pub(crate) fn conversation(&self) -> Arc<Conversation> {
        let announced = self.router.announced();
        Arc::new(Conversation::new(self.changes.clone(), announced))
    }

    pub(crate) fn revisions(&self) -> Revisions {
        self.router.revisions()
    }

    pub(super) fn router(&self) -> &Arc<Router> {
        &self.router
    }
}

/// What a server says of itself and what it offers.
#[derive(Debug)]
pub struct ServerBuilder {
    pub(super) info: Implementation,
    pub(super) instructions: Option<String>,
    pub(super) revisions: Revisions,
    pub(super) caching: Caching,
    pub(super) list_changed: bool,
    pub(super) tools: Vec<ToolRoute>,
    pub(super) prompts: Vec<PromptRoute>,
    pub(super) resources: Vec<ResourceRoute>,
}

impl Default for ServerBuilder {
    fn default() -> Self {
        Self {
            info: Implementation::new("mcp-server", "0.0.0"),
            instructions: None,
            revisions: Revisions::ALL,
            caching: Caching::default(),
            list_changed: false,
            tools: Vec::new(),
            prompts: Vec::new(),
            resources: Vec::new(),
        }
    }
}

impl ServerBuilder {
    /// The server's name, for programs; `mcp-server` unless set.
    pub fn name(&mut self, name: impl Into<String>) -> &mut Self {
        self.info.name = name.into();
        self
    }

    /// The server's version; `0.0.0` unless set.
    pub fn version(&mut self, version: impl Into<String>) -> &mut Self {
        self.info.version = version.into();
        self
    }

    /// All that the server says of itself: name, version, title, icons and more.
    pub fn info(&mut self, info: Implementation) -> &mut Self {
        self.info = info;
        self
    }

    /// What a model should know to use the server well.
    pub fn instructions(&mut self, instructions: impl Into<String>) -> &mut Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// The revisions that are served; all that are known unless set.
    pub fn revisions(&mut self, revisions: Revisions) -> &mut Self {
        self.revisions = revisions;
        self
    }

    /// How long clients may keep the lists of tools, prompts and resources, and for whom.
    ///
    /// Only clients of 2026-07-28 are told ("Caching"); unless set, nothing may be kept.
    pub fn cache(&mut self, ttl: Duration, scope: CacheScope) -> &mut Self {
        self.caching = Caching::new(ttl, scope);
        self
    }

    /// The lists of tools, prompts and resources may change while the server runs. Clients are told
    /// so, and then of each change that [`Server::notify_changed`] announces.
    pub fn list_changed(&mut self) -> &mut Self {
        self.list_changed = true;
        self
    }

    /// Adds a tool. A later one of the same name replaces the earlier one.
    pub fn tool_route(&mut self, tool: ToolRoute) -> &mut Self {
        self.tools.push(tool);
        self
    }

    /// Adds a tool: a function under `#[tool]`, or a route.
    pub fn tool(&mut self, tool: impl OfferedTool) -> &mut Self {
        self.tool_route(tool.tool_route())
    }

    /// Adds a prompt: a function under `#[prompt]`, or a route.
    pub fn prompt(&mut self, prompt: impl OfferedPrompt) -> &mut Self {
        self.prompt_route(prompt.prompt_route())
    }

    /// Adds a resource: a function under `#[resource]`, or a route.
    pub fn resource(&mut self, resource: impl OfferedResource) -> &mut Self {
        self.resource_route(resource.resource_route())
    }

    /// Adds a prompt. A later one of the same name replaces the earlier one.
    pub fn prompt_route(&mut self, prompt: PromptRoute) -> &mut Self {
        self.prompts.push(prompt);
        self
    }

    /// Adds a resource or template. A later one of the same URI replaces the earlier one.
    pub fn resource_route(&mut self, resource: ResourceRoute) -> &mut Self {
        self.resources.push(resource);
        self
    }

    /// The server, ready to serve.
    #[must_use]
    pub fn build(self) -> Server {
        Server {
            router: Arc::new(Router::new(self)),
            changes: Changes::default(),
        }
    }
}
