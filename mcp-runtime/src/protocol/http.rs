//! What only HTTP asks: there, a request can come without the connection that it belongs to.

use std::sync::Arc;

use mcp_types::{ClientCapabilities, Era, RequestMetaRef, Revision, Revisions, Side};

use super::known::{OwnMethods, only_in};
use super::negotiated_server::LastNegotiated;
use super::server::State;
use super::{Negotiated, ServerLifecycle, methods};
use crate::error::RequestError;

/// Whether only stateless clients send such a request.
pub(crate) fn is_stateless_only(method: &str) -> bool {
    methods::request(method, Side::Client).is_ok_and(|info| only_in(Era::Stateless, info))
}

/// Negotiates for a request that carries its own version and capabilities.
///
/// # Errors
///
/// The refusal to answer with.
pub(crate) fn admit_stateless(
    method: &str,
    meta: &RequestMetaRef<'_>,
    last: &mut LastNegotiated,
    supported: Revisions,
    own: &OwnMethods,
) -> Result<Arc<Negotiated>, RequestError> {
    let known = own.known(method)?;
    let negotiated = last.stateless(meta, supported)?;
    known.in_revision(negotiated.revision)?;
    if known.needs_capabilities() {
        last.check(&negotiated)?;
    }
    Ok(negotiated)
}

impl ServerLifecycle {
    /// A lifecycle in the middle, for a client whose handshake nobody remembers. One that does not
    /// say which revision it speaks is taken to speak 2025-03-26 (2025-11-25, "Transports",
    /// section "Protocol Version Header").
    pub(crate) fn without_handshake(revision: Option<Revision>, supported: Revisions) -> Self {
        let negotiated = Negotiated {
            revision: revision.unwrap_or(Revision::V2025_03_26),
            peer_info: None,
            peer_capabilities: ClientCapabilities::default(),
            instructions: None,
        };
        let mut lifecycle = Self::new(supported);
        lifecycle.state = State::Operating(Arc::new(negotiated));
        lifecycle
    }
}

impl Negotiated {
    /// Whether the client understands a stream that begins with an event without data, only there
    /// for its id (2025-11-25, "Transports", section "Sending Messages to the Server").
    pub(crate) fn primes_streams(&self) -> bool {
        self.revision.era() == Era::Handshake && self.revision >= Revision::V2025_11_25
    }
}
