//! What links know that only some transports have.

use std::any::Any;
use std::sync::Arc;

use super::Peer;

impl Peer {
    /// The way to this peer, if it is a `T`.
    pub(crate) fn link<T: Any + Send + Sync>(&self) -> Option<&T> {
        let link: &(dyn Any + Send + Sync) = &*self.link;
        link.downcast_ref()
    }

    /// What was said of where the peer comes from, to be kept, if it is a `T`.
    pub(crate) fn shared_origin<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        let origin = Arc::clone(self.link.origin()?.get()?);
        origin.downcast().ok()
    }
}
