//! Keeps handlers from sending what the client did not declare.

use std::sync::Arc;

use mcp_types::RawJson;

use crate::driver::{Guard, Peer};
use crate::protocol::{Terms, Unavailable};

impl Guard for Terms {
    fn check(&self, method: &'static str, params: &RawJson) -> Result<(), Unavailable> {
        self.allow(method, params)
    }
}

impl Peer {
    /// The same peer, which is asked only what `terms` allow.
    pub(in crate::server) fn guarded(&self, terms: &Arc<Terms>) -> Self {
        let mut peer = self.clone();
        peer.guard = Some(Arc::clone(terms) as Arc<dyn Guard>);
        peer
    }
}
