//! HTTP+SSE, the transport of 2024-11-05, without the feature `sse`.

use super::outgoing::Outgoing;
use super::remote::Remote;
use crate::error::CallError;

impl Remote {
    /// Returns `false`: HTTP+SSE is not supported.
    pub(super) async fn fall_back(&self, _: &Outgoing) -> Result<bool, CallError> {
        Ok(false)
    }
}
