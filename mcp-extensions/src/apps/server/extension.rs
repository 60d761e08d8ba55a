//! The extension of a server.

use mcp_runtime::client::ClientExtension;
use mcp_runtime::server::Extension;
use mcp_runtime::types::JsonObject;
use mcp_runtime::{Context, Revision};
use serde_json::json;

use crate::apps::types::{ID, PAGE_TYPE};

/// The extension `io.modelcontextprotocol/ui` of a server. Servers with an [`App`](super::App) need it.
///
/// ```
/// use mcp_extensions::{App, Apps};
/// use mcp_runtime::prelude::*;
///
/// const CLOCK: App = App::html("ui://clock", "<!doctype html><p id=time>");
///
/// struct Clock;
///
/// #[mcp_server]
/// impl Clock {
///     /// Returns the time.
///     #[tool(with(CLOCK))]
///     fn time(&self) -> String {
///         "12:00".to_owned()
///     }
/// }
///
/// let mut server = Clock.into_builder();
/// server.extension(Apps::new());
/// # drop(server.build());
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Apps;

impl Apps {
    /// Creates the extension.
    #[must_use]
    pub const fn new() -> Self {
        Self
    }

    /// Returns the extension of a client that shows pages. It declares the media type
    /// `text/html;profile=mcp-app`.
    ///
    /// Add it with [`ClientBuilder::extension`](mcp_runtime::ClientBuilder::extension). To show pages,
    /// call [`ShowApps::apps`](crate::apps::ShowApps::apps).
    #[must_use]
    pub fn host() -> impl ClientExtension {
        let types = ("mimeTypes".to_owned(), json!([PAGE_TYPE]));
        (ID, JsonObject::from_iter([types]))
    }
}

impl Extension for Apps {
    fn id(&self) -> &'static str {
        ID
    }

    fn settings(&self, _: Revision) -> Option<JsonObject> {
        Some(JsonObject::new())
    }
}

/// Extends [`Context`] to learn whether the client shows pages.
pub trait HasApps {
    /// Returns true if the client declares the extension with the media type of our pages.
    ///
    /// A tool must return content in any case (Graceful Degradation). Use this to return less text if
    /// the user sees a page.
    fn has_apps(&self) -> bool;
}

impl HasApps for Context {
    fn has_apps(&self) -> bool {
        let declared = self.client_capabilities().extensions.as_ref();
        let types = declared.and_then(|all| all.get(ID)?.get("mimeTypes")?.as_array());
        types.is_some_and(|types| types.iter().any(|it| it == PAGE_TYPE))
    }
}
