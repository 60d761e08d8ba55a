//! Keeps handlers from sending what the client did not declare.

use std::sync::Arc;

use mcp_types::RawJson;

use crate::connection::{Guard, Peer};
use crate::error::Unavailable;
use crate::protocol::Negotiated;

impl Guard for Negotiated {
    fn check(&self, method: &'static str, params: &RawJson) -> Result<(), Unavailable> {
        self.allow(method, params)
    }
}

impl Peer {
    /// The same peer, which is asked only what `negotiated` allows.
    pub(in crate::server) fn guarded(&self, negotiated: &Arc<Negotiated>) -> Self {
        let mut peer = self.clone();
        peer.guard = Some(Arc::clone(negotiated) as Arc<dyn Guard>);
        peer
    }
}
