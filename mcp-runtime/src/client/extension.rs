//! The client side of protocol extensions.

use std::sync::Arc;

use mcp_types::{JsonObject, RawJson, Revision, ServerCapabilities};

use super::Client;
use crate::connection::BoxFuture;
use crate::error::CallError;
use crate::protocol::{ExtensionMethod, Negotiated};

/// A protocol extension that a client supports (SEP-2133). To add it to a client, call
/// [`ClientBuilder::extension`](super::ClientBuilder::extension).
///
/// An extension is active on a connection if it has settings for the negotiated revision and the
/// server has declared it as well (see [`Client::has_extension`]). It affects only the connections on
/// which it is active. For an extension that only needs to be declared, pass its identifier and
/// settings as a tuple.
///
/// ```
/// use mcp_runtime::BoxFuture;
/// use mcp_runtime::client::ClientExtension;
/// use mcp_runtime::types::{JsonObject, RawJson, Request};
/// use mcp_runtime::{CallError, Client, ExtensionMethod, Revision};
///
/// /// Lets servers answer long calls with a ticket, which is redeemed for the result.
/// struct Tickets;
///
/// enum Redeem {}
///
/// impl Request for Redeem {
///     const METHOD: &'static str = "com.example/tickets/redeem";
///     const PARAMS_OPTIONAL: bool = false;
///     const MAY_REQUIRE_INPUT: bool = false;
///     const EXTENSION: Option<&'static str> = Some("com.example/tickets");
///     type Params = JsonObject;
///     type Result = RawJson;
/// }
///
/// const METHODS: &[ExtensionMethod] = &[ExtensionMethod::new(Redeem::METHOD).named_by("ticket")];
///
/// impl ClientExtension for Tickets {
///     fn id(&self) -> &'static str {
///         "com.example/tickets"
///     }
///
///     fn settings(&self, _: Revision) -> Option<JsonObject> {
///         Some(JsonObject::new())
///     }
///
///     fn methods(&self) -> &[ExtensionMethod] {
///         METHODS
///     }
///
///     fn claim(
///         &self,
///         client: &Client,
///         _method: &str,
///         result: &RawJson,
///     ) -> Option<BoxFuture<Result<RawJson, CallError>>> {
///         let result: JsonObject = result.parse().ok()?;
///         if result["resultType"] != "com.example/ticket" {
///             return None;
///         }
///         let redeem = JsonObject::from_iter([("ticket".to_owned(), result.get("ticket")?.clone())]);
///         Some(client.request::<Redeem>(redeem).into_future())
///     }
/// }
///
/// let client = Client::builder("example", "1.0.0").extension(Tickets);
/// # drop(client);
/// ```
pub trait ClientExtension: Send + Sync + 'static {
    /// The identifier, such as `com.example/tickets`. Must always return the same value.
    fn id(&self) -> &'static str;

    /// The settings to declare in `revision`, or `None` if this revision does not support the
    /// extension. Called for each connection, and whenever the client needs to know whether the
    /// extension is active, so the settings of a revision must not change.
    fn settings(&self, revision: Revision) -> Option<JsonObject>;

    /// The methods whose requests carry an `Mcp-Name` header over HTTP; none by default. The list is
    /// read when a transport is opened. Other methods of the extension need not be listed: whether a
    /// request can be sent depends only on [`Request::EXTENSION`](mcp_types::Request::EXTENSION).
    fn methods(&self) -> &[ExtensionMethod] {
        &[]
    }

    /// Claims the result of a request for `method` whose `resultType` is not part of the core
    /// protocol. To claim the result, return a future that obtains the complete result in its place.
    /// The default, `None`, leaves the result to the next extension. If no extension claims it, the
    /// call fails with [`CallError::Result`].
    ///
    /// Called once for each such result, while the connection is up, and must return quickly. The
    /// time limits of the call do not apply to the future, so it needs its own. The future is dropped
    /// when the caller drops the call, and if it fails, the call fails with the same error. The
    /// result that it returns must be complete: it is not claimed again and can't require input.
    fn claim(
        &self,
        client: &Client,
        method: &str,
        result: &RawJson,
    ) -> Option<BoxFuture<Result<RawJson, CallError>>> {
        let _ = (client, method, result);
        None
    }

    /// Handles a result as described at [`claim`](Self::claim) that arrives after the caller has
    /// dropped the call, so that the extension can stop the work at the server. The default, `None`,
    /// leaves the result to the next extension. If no extension handles it, it is ignored.
    ///
    /// The future runs in its own task. Results are ignored if they arrive more than 60 seconds after
    /// the call was dropped, or after the client was dropped. Over HTTP in the stateless era there are
    /// no late results, because dropping a request closes its response.
    fn abandoned(&self, client: &Client, method: &str, result: &RawJson) -> Option<BoxFuture<()>> {
        let _ = (client, method, result);
        None
    }
}

/// An extension that is only declared, with the same settings in every revision.
impl ClientExtension for (&'static str, JsonObject) {
    fn id(&self) -> &'static str {
        self.0
    }

    fn settings(&self, _: Revision) -> Option<JsonObject> {
        Some(self.1.clone())
    }
}

#[derive(Default)]
pub(super) struct ClientExtensions(Vec<Arc<dyn ClientExtension>>);

impl ClientExtensions {
    /// Adds an extension, replacing an extension with the same identifier.
    pub(super) fn add(&mut self, extension: impl ClientExtension) {
        self.0.retain(|it| it.id() != extension.id());
        self.0.push(Arc::new(extension));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The extensions that both sides have declared.
    pub(super) fn active(
        &self,
        negotiated: &Negotiated<ServerCapabilities>,
    ) -> impl Iterator<Item = &Arc<dyn ClientExtension>> {
        self.0.iter().filter(|extension| {
            negotiated.offers_extension(extension.id())
                && extension.settings(negotiated.revision).is_some()
        })
    }

    /// The identifier and settings of each extension that `revision` supports.
    pub(super) fn settings(
        &self,
        revision: Revision,
    ) -> impl Iterator<Item = (String, JsonObject)> {
        let extensions = self.0.iter();
        extensions.filter_map(move |it| Some((it.id().to_owned(), it.settings(revision)?)))
    }

    pub(super) fn methods(&self) -> Vec<ExtensionMethod> {
        let methods = self.0.iter().flat_map(|extension| extension.methods());
        methods.cloned().collect()
    }
}
