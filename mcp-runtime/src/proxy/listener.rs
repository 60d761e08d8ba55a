//! A client with a handshake, as servers reach it outside of calls.

use std::sync::{Arc, Mutex, OnceLock};

use mcp_types::{RawJsonRef, Revision};

use super::messages::{announcement, exists_in, send};
use crate::connection::Peer;
use crate::protocol::{Change, Negotiated};
use crate::sync::lock;

/// Gets the messages of servers that belong to no request.
pub(super) struct Listener {
    negotiated: Mutex<Arc<Negotiated>>,
    /// The client, from the end of the handshake on.
    peer: OnceLock<Peer>,
}

impl Listener {
    pub(super) fn new(negotiated: &Arc<Negotiated>) -> Self {
        Self {
            negotiated: Mutex::new(Arc::clone(negotiated)),
            peer: OnceLock::new(),
        }
    }

    pub(super) fn revision(&self) -> Revision {
        lock(&self.negotiated).revision
    }

    /// Sets the revision that the server has chosen.
    pub(super) fn agree(&self, revision: Revision) {
        let mut negotiated = lock(&self.negotiated);
        *negotiated = Arc::new(Negotiated {
            revision,
            ..(**negotiated).clone()
        });
    }

    /// Records that the handshake is complete. Returns what was negotiated.
    pub(super) fn begin(&self, peer: &Peer) -> Arc<Negotiated> {
        self.peer.get_or_init(|| peer.clone());
        Arc::clone(&lock(&self.negotiated))
    }

    pub(super) fn peer(&self) -> Option<&Peer> {
        self.peer.get()
    }

    /// Passes on a notification.
    pub(super) fn hear(&self, method: &str, params: Option<RawJsonRef<'_>>) {
        if let Some(peer) = self.peer()
            && exists_in(method, self.revision())
        {
            send(peer, method, params, true);
        }
    }

    /// Notifies the client of a changed list.
    pub(super) fn announce(&self, list: Change) {
        self.hear(announcement(list).0, None);
    }
}
