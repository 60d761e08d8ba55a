//! Extensions of the protocol, on the side of a client.

use std::sync::Arc;

use mcp_types::{JsonObject, RawJson, Revision, ServerCapabilities};

use super::Client;
use crate::connection::BoxFuture;
use crate::error::CallError;
use crate::protocol::{ExtensionMethod, Negotiated};

/// An extension of the protocol that a client supports (SEP-2133); added by
/// [`ClientBuilder::extension`](super::ClientBuilder::extension).
///
/// It is active on a connection if it has settings for the negotiated revision and the server has
/// declared it as well: [`Client::has_extension`]. What it brings is used only there. An identifier
/// and its settings are an extension that brings nothing else.
///
/// ```
/// use mcp_runtime::BoxFuture;
/// use mcp_runtime::client::ClientExtension;
/// use mcp_runtime::types::{JsonObject, RawJson, Request};
/// use mcp_runtime::{CallError, Client, ExtensionMethod, Revision};
///
/// /// Servers answer long calls with a ticket, whose result can be fetched later.
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
    /// The identifier, such as `com.example/tickets`. Always the same.
    fn id(&self) -> &'static str;

    /// The settings to declare to a server that speaks `revision`, or that this revision is offered
    /// to; `None` where the extension is not supported. Called for each connection, and whenever it
    /// is decided whether the extension is active: the same revision has the same settings.
    fn settings(&self, revision: Revision) -> Option<JsonObject>;

    /// The methods whose requests have an `Mcp-Name` over HTTP. Read when a transport is opened. A
    /// request is sent where [`Request::EXTENSION`](mcp_types::Request::EXTENSION) names this
    /// extension, listed here or not. None by default.
    fn methods(&self) -> &[ExtensionMethod] {
        &[]
    }

    /// Claims a result whose `resultType` the protocol does not have, of a request for `method`:
    /// returns how the complete result is obtained that takes its place. `None`, the default, leaves
    /// it to the next extension; what none claims fails the call with [`CallError::Result`].
    ///
    /// Called once for each such result, while the connection is up. It must return quickly. The
    /// time limits of the call do not apply to the future, which needs its own. It is dropped when
    /// the caller drops the call; an error is that of the call. Its result must be complete: nothing
    /// claims it again, and it asks for no input.
    fn claim(
        &self,
        client: &Client,
        method: &str,
        result: &RawJson,
    ) -> Option<BoxFuture<Result<RawJson, CallError>>> {
        let _ = (client, method, result);
        None
    }

    /// Takes a result as for [`claim`](Self::claim) whose caller has dropped the call before it came,
    /// so that what goes on at the server can be ended. `None`, the default, leaves it to the next
    /// extension; what none takes is ignored.
    ///
    /// The future runs in a task of its own. Results that come more than 60 seconds after the call
    /// was dropped are ignored, as are those of a client that is gone. Over HTTP in the stateless
    /// era there are none: the end of a request ends its answer.
    fn abandoned(&self, client: &Client, method: &str, result: &RawJson) -> Option<BoxFuture<()>> {
        let _ = (client, method, result);
        None
    }
}

/// An extension that is declared with the same settings in every revision, and does nothing else.
impl ClientExtension for (&'static str, JsonObject) {
    fn id(&self) -> &'static str {
        self.0
    }

    fn settings(&self, _: Revision) -> Option<JsonObject> {
        Some(self.1.clone())
    }
}

/// The extensions of a client.
#[derive(Default)]
pub(super) struct ClientExtensions(Vec<Arc<dyn ClientExtension>>);

impl ClientExtensions {
    /// Adds an extension, in the place of one with the same identifier.
    pub(super) fn add(&mut self, extension: impl ClientExtension) {
        self.0.retain(|it| it.id() != extension.id());
        self.0.push(Arc::new(extension));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those that both sides have declared.
    pub(super) fn active(
        &self,
        negotiated: &Negotiated<ServerCapabilities>,
    ) -> impl Iterator<Item = &Arc<dyn ClientExtension>> {
        self.0.iter().filter(|extension| {
            negotiated.offers_extension(extension.id())
                && extension.settings(negotiated.revision).is_some()
        })
    }

    /// The settings for a revision, by identifier.
    pub(super) fn settings(
        &self,
        revision: Revision,
    ) -> impl Iterator<Item = (String, JsonObject)> {
        let extensions = self.0.iter();
        extensions.filter_map(move |it| Some((it.id().to_owned(), it.settings(revision)?)))
    }

    /// The methods of all.
    pub(super) fn methods(&self) -> Vec<ExtensionMethod> {
        let methods = self.0.iter().flat_map(|extension| extension.methods());
        methods.cloned().collect()
    }
}
