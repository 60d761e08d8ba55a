//! Where a peer comes from, as far as anybody but itself knows.

use std::any::Any;
use std::sync::Arc;

use super::Peer;

impl Peer {
    /// Says where the peer comes from. What is said first stays.
    pub(crate) fn attach(&self, origin: Arc<dyn Any + Send + Sync>) {
        if let Some(known) = self.link.origin() {
            // What is known already has been found out closer to the peer.
            let _ = known.set(origin);
        }
    }

    /// What was said of where the peer comes from, if it is a `T`.
    pub(crate) fn origin<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.link.origin()?.get()?.downcast_ref()
    }
}
