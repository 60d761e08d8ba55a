//! How a caller sees the resources of a server.

use std::borrow::Cow;
use std::num::NonZeroUsize;

use super::Context;

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
pub struct ResourceView<'a>(&'a Context);

impl Context {
    /// The resources of this server as the caller sees them. Extensions need them for methods that
    /// return or take URIs of resources.
    #[must_use]
    pub fn resources(&self) -> ResourceView<'_> {
        ResourceView(self)
    }
}

impl ResourceView<'_> {
    /// Returns the URI by which the client reads the resource `uri` of this server.
    #[must_use]
    pub fn outer_uri(&self, uri: &str) -> String {
        self.0
            .namespace()
            .map_or_else(|| uri.to_owned(), |namespace| namespace.uri(uri))
    }

    /// Returns the URI that this server has for the resource that the client calls `uri`. `None` if
    /// the URI does not lead to this server.
    #[must_use]
    pub fn inner_uri<'u>(&self, uri: &'u str) -> Option<Cow<'u, str>> {
        let namespace = self.0.namespace();
        namespace.map_or(Some(uri.into()), |it| it.strip(uri))
    }

    /// Returns true if there is a resource with this `uri`, and `resources/list` may show it to the
    /// caller.
    #[must_use]
    pub fn shows(&self, uri: &str) -> bool {
        let router = self.0.called_server().router();
        router.resources.shows_uri(&self.outer_uri(uri), self.0)
    }

    /// Returns true if callers may see different resources, so that no answer about them may be
    /// cached for others.
    #[must_use]
    pub fn differ_by_caller(&self) -> bool {
        self.0.called_server().router().resources.differs_by_caller
    }

    /// Returns the [number of items](crate::ServerBuilder::page_size) on a page of a list; `None` if
    /// a list is not divided.
    #[must_use]
    pub fn page_size(&self) -> Option<NonZeroUsize> {
        self.0.called_server().router().resources.page_size
    }
}
