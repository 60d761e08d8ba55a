//! What only HTTP asks: there, a request can come without the connection that it belongs to.

use std::sync::Arc;

use mcp_types::{ClientCapabilities, Era, RequestMetaRef, Revision, Revisions, Side};

use super::known::{OwnMethods, only_in};
use super::server::State;
use super::server_terms::{LastTerms, check_progress_token};
use super::{Refusal, ServerLifecycle, Terms, methods};

/// Whether only stateless clients send such a request.
pub(crate) fn is_stateless_only(method: &str) -> bool {
    methods::request(method, Side::Client).is_ok_and(|info| only_in(Era::Stateless, info))
}

/// The terms of a request that brings its own.
///
/// # Errors
///
/// The refusal to answer with.
pub(crate) fn admit_stateless(
    method: &str,
    meta: Option<&RequestMetaRef<'_>>,
    last: &mut LastTerms,
    supported: Revisions,
    own: &OwnMethods,
) -> Result<Arc<Terms>, Refusal> {
    let known = own.known(method)?;
    check_progress_token(meta)?;
    let terms = last.stateless(meta, supported)?;
    known.in_revision(terms.revision)?;
    if known.needs_capabilities() {
        last.check(&terms)?;
    }
    Ok(terms)
}

impl ServerLifecycle {
    /// A lifecycle in the middle, for a client whose handshake nobody remembers. One that does not
    /// say which revision it speaks is taken to speak 2025-03-26 (2025-11-25, "Transports",
    /// section "Protocol Version Header").
    pub(crate) fn without_handshake(revision: Option<Revision>, supported: Revisions) -> Self {
        let terms = Terms {
            revision: revision.unwrap_or(Revision::V2025_03_26),
            client_info: None,
            client_capabilities: ClientCapabilities::default(),
        };
        let mut lifecycle = Self::new(supported);
        lifecycle.state = State::Operating(Arc::new(terms));
        lifecycle
    }
}

impl Terms {
    /// Whether the client understands a stream that begins with an event without data, only there
    /// for its id (2025-11-25, "Transports", section "Sending Messages to the Server").
    pub(crate) fn primes_streams(&self) -> bool {
        self.revision.era() == Era::Handshake && self.revision >= Revision::V2025_11_25
    }
}
