//! How a caller sees the resources of a server.

use std::num::NonZeroUsize;

use super::Context;
use crate::server::Server;
use crate::server::catalog::Namespace;

/// How the caller of a request sees the resources of the server that serves it; returned by
/// [`Context::resources`].
///
/// A method of an extension that lists resources should show a caller only those that the caller can
/// see in `resources/list`, under the URIs by which the caller can read them. In a mounted server,
/// these URIs have a prefix, and the filter of the outer server applies as well.
///
/// ```
/// use mcp_runtime::{Context, ProtocolError, Server};
/// use serde_json::{Value, json};
///
/// let mut server = Server::builder();
/// server.method("com.example/newest", async |_: Value, cx: Context| {
///     let resources = cx.resources();
///     let uri = "note:2026-11-29";
///     let newest = resources.shows(uri).then(|| resources.outer_uri(uri));
///     Ok::<_, ProtocolError>(json!({"uri": newest}))
/// });
/// # drop(server.build());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ResourceView<'a> {
    /// The server that the client has called.
    server: &'a Server,
    /// The namespace of the server that serves the request.
    namespace: Option<&'a Namespace>,
    context: &'a Context,
}

impl<'a> ResourceView<'a> {
    pub(super) fn new(
        server: &'a Server,
        namespace: Option<&'a Namespace>,
        context: &'a Context,
    ) -> Self {
        Self {
            server,
            namespace,
            context,
        }
    }

    /// Returns the URI by which the client reads the resource `uri` of this server.
    #[must_use]
    pub fn outer_uri(&self, uri: &str) -> String {
        self.namespace
            .map_or_else(|| uri.to_owned(), |namespace| namespace.uri(uri))
    }

    /// Returns the URI that this server has for the resource that the client calls `uri`. `None` if
    /// the URI does not lead to this server.
    #[must_use]
    pub fn inner_uri<'u>(&self, uri: &'u str) -> Option<&'u str> {
        let inner = self.namespace.map_or(uri, |namespace| namespace.strip(uri));
        self.outer_uri(inner)
            .eq_ignore_ascii_case(uri)
            .then_some(inner)
    }

    /// Returns true if there is a resource with this `uri`, and `resources/list` may show it to the
    /// caller.
    #[must_use]
    pub fn shows(&self, uri: &str) -> bool {
        self.server
            .router()
            .resources
            .shows_uri(&self.outer_uri(uri), self.context)
    }

    /// Returns true if callers may see different resources, so that no answer about them may be
    /// cached for others.
    #[must_use]
    pub fn differ_by_caller(&self) -> bool {
        self.server.router().resources.differs_by_caller
    }

    /// Returns the [number of items](crate::ServerBuilder::page_size) on a page of a list; `None` if
    /// a list is not divided.
    #[must_use]
    pub fn page_size(&self) -> Option<NonZeroUsize> {
        self.server.router().resources.page_size
    }
}
