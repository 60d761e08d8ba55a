//! Servers that get requests as they are, instead of through entries. Proxies are such servers.

use std::fmt::Debug;
use std::sync::Arc;

use mcp_types::{RawJson, RawJsonRef};

use super::Session;
use super::dispatch::{Answer, ServerRequest};
use crate::connection::{Peer, Served};
use crate::error::RequestError;
use crate::protocol::Negotiated;

/// Serves all requests of a server, in place of its router.
pub(crate) trait RawServer: Debug + Send + Sync {
    /// Answers `initialize`. The client is served from now on by the [`RawSession`] that this method
    /// sets in `session`. `own` is what the program says of the server, as a result of
    /// `server/discover`.
    fn initialize(
        self: Arc<Self>,
        session: &Arc<Session>,
        peer: &Peer,
        params: Option<RawJsonRef<'_>>,
        negotiated: &Arc<Negotiated>,
        own: RawJson,
    ) -> Served<Answer>;

    /// Serves the request of a stateless client, inside all layers.
    ///
    /// # Errors
    ///
    /// When the request is refused immediately.
    fn serve(self: Arc<Self>, request: ServerRequest<'_>) -> Result<Served<Answer>, RequestError>;
}

/// A client of a [`RawServer`] with a handshake.
pub(crate) trait RawSession: Debug + Send + Sync {
    /// Called when the handshake is complete. Returns what was negotiated. `peer` is the client, for
    /// messages that belong to no request.
    fn begin(self: Arc<Self>, peer: &Peer) -> Arc<Negotiated>;

    /// Serves a request of the client, inside all layers.
    ///
    /// # Errors
    ///
    /// When the request is refused immediately.
    fn serve(self: Arc<Self>, request: ServerRequest<'_>) -> Result<Served<Answer>, RequestError>;

    /// Handles a notification of the client.
    fn notification(&self, method: &str, params: Option<RawJsonRef<'_>>);
}

/// Serves a request by the session of its client, or by the server if the client is stateless.
///
/// # Errors
///
/// When the request is refused immediately.
pub(super) fn serve(
    server: &Arc<dyn RawServer>,
    request: ServerRequest<'_>,
) -> Result<Served<Answer>, RequestError> {
    let context = request.context;
    match context.session().raw() {
        Some(session) if context.negotiated().outlive_requests() => session.serve(request),
        _ => Arc::clone(server).serve(request),
    }
}
