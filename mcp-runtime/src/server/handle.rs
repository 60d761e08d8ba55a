//! The handle to a server.

use std::sync::Arc;

use mcp_types::{Revisions, Tool};

use super::changes::Change;
use super::live::Live;
use super::router::Router;
use super::{Endpoint, Serve, ServerBuilder, Session};
use crate::protocol::{OwnMethods, Requirement, ServerLifecycle};

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
    pub(super) live: Arc<Live>,
    /// The router that this handle saw last, and its generation.
    pub(super) seen: Arc<Router>,
    pub(super) generation: u64,
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
    pub fn serve<E: Endpoint>(&self, endpoint: E) -> Serve<E> {
        Serve::new(self.clone(), endpoint)
    }

    /// The tools that the server has now, in the order in which they are listed.
    #[must_use]
    pub fn tools(&self) -> Vec<Tool> {
        self.router().tools().cloned().collect()
    }

    /// Tells the clients that want to know of it that something has changed: those of the handshake
    /// era by a notification, those without one where they listen. Never waits for any of them;
    /// what changes often is said once in a while.
    ///
    /// Clients are told of the lists that [`ServerBuilder::dynamic`] names, and of resources that
    /// can be subscribed to. Of what [`edit`](Self::edit) changes they are told by itself.
    ///
    /// A URI may be spelled in any way that leads to the resource. One that no resource has, or that
    /// is no URI at all (RFC 3986), is logged as a warning, once for each of the first 100.
    pub fn notify_changed(&self, change: Change) {
        self.check_announced(&change);
        self.live.publish(change);
    }

    /// Tells the clients that have subscribed to the resource under `uri` that it has changed, as
    /// [`notify_changed`](Self::notify_changed) does.
    pub fn notify_resource_updated(&self, uri: impl Into<String>) {
        self.notify_changed(Change::Resource(uri.into()));
    }

    /// What is kept of one client.
    pub(crate) fn session(&self) -> Arc<Session> {
        let announced = self.router().announced();
        Arc::new(Session::new(self.clone(), announced))
    }

    /// The lifecycle of a new connection.
    pub(crate) fn lifecycle(&self) -> ServerLifecycle {
        let lifecycle = ServerLifecycle::new(self.revisions()).requiring(self.requirement());
        lifecycle.knowing(self.own_methods().clone())
    }

    pub(crate) fn own_methods(&self) -> &OwnMethods {
        &self.settings().own_methods
    }

    pub(crate) fn requirement(&self) -> Requirement {
        self.settings().requirement.clone()
    }

    pub(crate) fn revisions(&self) -> Revisions {
        self.settings().revisions
    }
}
