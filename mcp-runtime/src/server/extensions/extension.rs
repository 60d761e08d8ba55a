//! The trait of protocol extensions that a server offers, and their methods and subscriptions.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use mcp_types::jsonrpc::write;
use mcp_types::{JsonObject, RawJson, RawJsonRef, RequestId, Revision, meta_keys};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::sync::mpsc;

use crate::ProtocolError;
use crate::error::RequestError;
use crate::protocol::invalid_params;
use crate::server::handler::to_protocol;
use crate::server::{BoxFuture, Context, HandlerError, Reply, ServerBuilder};

/// A protocol extension that a server offers (SEP-2133). To add it to a server, call
/// [`ServerBuilder::extension`].
///
/// The server declares the extension under `extensions` of its capabilities, in the answers to
/// `initialize` and `server/discover`. To extend single tools, implement
/// [`ToolExtension`](crate::server::ToolExtension). The client side of an extension implements
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
/// To declare an extension without methods, pass its identifier and its settings for all revisions:
/// `server.extension(("com.example/units", JsonObject::new()))`.
pub trait Extension: Any + Send + Sync {
    /// The identifier: a vendor prefix, a slash and a name, such as `com.example/clock`.
    fn id(&self) -> &'static str;

    /// The settings to declare to clients of `revision`, or `None` if the extension is not offered
    /// in this revision.
    fn settings(&self, revision: Revision) -> Option<JsonObject>;

    /// Whether a client must declare the extension before it calls its methods; true by default.
    /// Other clients get the error of a [missing capability](Context::require_extension).
    ///
    /// Return false for an extension that only offers methods, and needs nothing from the client.
    fn must_be_declared(&self) -> bool {
        true
    }

    /// Adds the methods, resources, tools and hooks of the extension. Called once, by
    /// [`ServerBuilder::extension`].
    ///
    /// Methods that are added here are served only in the revisions in which the extension is
    /// offered, and only to clients that declare the extension, unless it need
    /// [not be declared](Self::must_be_declared).
    fn register(self: Arc<Self>, server: &mut ServerBuilder) {
        let _ = server;
    }

    /// Accepts members of the filter of `subscriptions/listen` that belong to this extension
    /// (2026-07-28, "Subscriptions"), and returns a source of notifications for them.
    ///
    /// Called for each subscription whose filter has members that the core protocol does not know.
    /// `wanted` has all these members. Return `None` if none of them belongs to this extension. The
    /// future is awaited before the subscription is acknowledged.
    ///
    /// # Errors
    ///
    /// The subscription is refused with the returned error.
    fn listen(
        &self,
        wanted: &JsonObject,
        cx: &Context,
    ) -> Result<Option<BoxFuture<ExtensionSubscription>>, ProtocolError> {
        let _ = (wanted, cx);
        Ok(None)
    }
}

/// An extension without methods, with the same settings in all revisions.
impl Extension for (&'static str, JsonObject) {
    fn id(&self) -> &'static str {
        self.0
    }

    fn settings(&self, _: Revision) -> Option<JsonObject> {
        Some(self.1.clone())
    }
}

pub(in crate::server) type Method = dyn Fn(MethodCall<'_>) -> Reply<RawJson> + Send + Sync;

/// A request for a method of an extension.
#[derive(Clone, Copy, Debug)]
pub struct MethodCall<'a> {
    /// The parameters as they were received, including `_meta`.
    pub params: Option<RawJsonRef<'a>>,
    /// The context of the request.
    pub context: &'a Context,
}

/// Creates a method that deserializes the parameters, calls `function` and serializes its result.
pub(in crate::server) fn typed<P, F, R, E>(
    function: impl Fn(P, Context) -> F + Send + Sync + 'static,
) -> Arc<Method>
where
    P: DeserializeOwned,
    F: Future<Output = Result<R, E>> + Send + 'static,
    R: Serialize,
    E: HandlerError,
{
    Arc::new(move |call| {
        let params = call.params.unwrap_or(RawJsonRef::empty_object());
        let params: P = match params.parse() {
            Ok(parsed) => parsed,
            Err(error) => {
                let error = invalid_params("params", params.get(), &error);
                return Reply::Ready(Err(error.to_error()));
            }
        };
        let future = function(params, call.context.clone());
        Reply::Pending(Box::pin(async move {
            let result = future.await.map_err(to_protocol)?;
            let reason = match RawJson::new(&result) {
                Ok(result) if result.is_object() => return Ok(result),
                Ok(result) if result.get() == "null" => return Ok(RawJson::empty_object()),
                Ok(_) => "it is not an object".to_owned(),
                Err(error) => error.to_string(),
            };
            Err(RequestError::UnsendableResult(reason).to_error())
        }))
    })
}

/// A source of an extension's notifications for one subscription; returned by
/// [`Extension::listen`](Extension::listen).
///
/// Notifications are sent as fast as the client reads them. The capacity of the channel limits how
/// many of them wait. Sending fails after the subscription has ended. Dropping the sender does not
/// end the subscription.
pub struct ExtensionSubscription {
    pub(in crate::server) accepted: JsonObject,
    pub(in crate::server) notifications: mpsc::Receiver<ExtensionNotification>,
}

impl ExtensionSubscription {
    /// Creates a source from the filter members to acknowledge as accepted, and the channel of the
    /// notifications to send after the acknowledgement.
    #[must_use]
    pub fn new(accepted: JsonObject, notifications: mpsc::Receiver<ExtensionNotification>) -> Self {
        Self {
            accepted,
            notifications,
        }
    }
}

impl fmt::Debug for ExtensionSubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtensionSubscription")
            .field("accepted", &self.accepted)
            .finish_non_exhaustive()
    }
}

/// A notification that an extension sends to a subscription.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtensionNotification {
    /// The method, such as `notifications/com.example/sold`.
    pub method: String,
    /// The parameters. The id of the subscription is added to their `_meta`.
    pub params: JsonObject,
}

impl ExtensionNotification {
    /// Creates a notification.
    #[must_use]
    pub fn new(method: impl Into<String>, params: JsonObject) -> Self {
        Self {
            method: method.into(),
            params,
        }
    }

    /// Serializes the notification with the id of the subscription in its `_meta`.
    pub(in crate::server) fn written(mut self, subscription: &RequestId) -> Vec<u8> {
        let meta = self.params.entry("_meta").or_insert_with(|| json!({}));
        if let Some(meta) = meta.as_object_mut() {
            meta.insert(meta_keys::SUBSCRIPTION_ID.to_owned(), json!(subscription));
        }
        let mut frame = Vec::new();
        write::notification(&mut frame, &self.method, Some(&self.params));
        frame
    }
}
