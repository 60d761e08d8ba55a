//! What remains of HTTP+SSE, the transport of 2024-11-05, without the feature `sse`.

use super::exchange::Asked;
use super::outgoing::Outgoing;
use super::remote::Remote;
use crate::error::CallError;

impl Remote {
    /// `false`: it is not spoken.
    pub(super) async fn fall_back(&self, _: &Outgoing, _: &Asked) -> Result<bool, CallError> {
        Ok(false)
    }
}
