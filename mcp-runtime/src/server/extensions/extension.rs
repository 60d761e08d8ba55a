//! The trait of an extension of the protocol, as a server offers it.

use std::any::Any;
use std::sync::Arc;

use mcp_types::{JsonObject, Revision};

use super::Listening;
use crate::ProtocolError;
use crate::server::{BoxFuture, Context, ServerBuilder};

/// An extension of the protocol that a server offers (SEP-2133); added by
/// [`ServerBuilder::extension`].
///
/// The server declares it under `extensions` of its capabilities, in the answers to `initialize` and
/// `server/discover`. What a tool has of an extension is a
/// [`ToolExtension`](crate::layer::ToolExtension), and the other side a
/// [`ClientExtension`](crate::client::ClientExtension).
///
/// ```
/// use std::sync::Arc;
/// use mcp_runtime::server::Extension;
/// use mcp_runtime::types::JsonObject;
/// use mcp_runtime::{Era, ExtensionMethod, ProtocolError, Revision, Server, ServerBuilder};
/// use serde_json::{Value, json};
///
/// struct Clock;
///
/// impl Extension for Clock {
///     fn id(&self) -> &'static str {
///         "com.example/clock"
///     }
///
///     fn settings(&self, revision: Revision) -> Option<JsonObject> {
///         (revision.era() == Era::Stateless).then(JsonObject::new)
///     }
///
///     fn register(self: Arc<Self>, server: &mut ServerBuilder) {
///         server.method("com.example/now", async |_: JsonObject, _| {
///             Ok::<_, ProtocolError>(json!({"seconds": 1_800_000_000}))
///         });
///     }
/// }
///
/// let server = Server::builder().extension(Clock).build();
/// # drop(server);
/// ```
///
/// An extension without methods is a pair of its identifier and its settings, which are those of all
/// revisions: `server.extension(("com.example/units", JsonObject::new()))`.
pub trait Extension: Any + Send + Sync {
    /// The identifier: the prefix of a vendor, a slash and a name.
    fn id(&self) -> &'static str;

    /// The settings that clients of `revision` get; `None` where the extension is not offered.
    fn settings(&self, revision: Revision) -> Option<JsonObject>;

    /// Adds what the extension consists of: methods, resources, tools, hooks. Called once, by
    /// [`ServerBuilder::extension`].
    ///
    /// Methods that are added here are served in the revisions in which the extension is offered, to
    /// clients that declare it. Others get the error of a
    /// [missing capability](Context::require_extension).
    fn register(self: Arc<Self>, server: &mut ServerBuilder) {
        let _ = server;
    }

    /// Accepts members of the filter of `subscriptions/listen` (2026-07-28, "Subscriptions"), and
    /// announces what they are about. Called for each subscription that has members which the protocol
    /// does not know, with all of them; `None` if none is of this extension. The future is awaited before
    /// the subscription is acknowledged.
    ///
    /// # Errors
    ///
    /// What the subscription is refused with.
    fn listen(
        &self,
        wanted: &JsonObject,
        cx: &Context,
    ) -> Result<Option<BoxFuture<Listening>>, ProtocolError> {
        let _ = (wanted, cx);
        Ok(None)
    }
}

/// An extension without methods, and its settings in all revisions.
impl Extension for (&'static str, JsonObject) {
    fn id(&self) -> &'static str {
        self.0
    }

    fn settings(&self, _: Revision) -> Option<JsonObject> {
        Some(self.1.clone())
    }
}
