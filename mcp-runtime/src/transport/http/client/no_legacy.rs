//! HTTP+SSE, the transport of 2024-11-05, without the feature `sse`.

use std::io;

use super::outgoing::Outgoing;
use super::remote::Remote;
use super::response::is_stream;
use crate::error::CallError;

impl Remote {
    /// Returns `false`: HTTP+SSE is not supported.
    ///
    /// # Errors
    ///
    /// [`CallError::NotSent`] with a hint at the feature, if the server answers GET as servers of
    /// HTTP+SSE do (2025-11-25, "Transports", section Backwards Compatibility).
    pub(super) async fn fall_back(&self, outgoing: &Outgoing) -> Result<bool, CallError> {
        match self.get(None, Some(outgoing)).await {
            Ok(response) if is_stream(&response) => {
                let reason = "it takes no messages at this URL, and answers GET with a stream, as \
                    servers of HTTP+SSE (2024-11-05) do: the feature `sse` of mcp-runtime is needed";
                Err(CallError::NotSent(io::Error::new(
                    io::ErrorKind::Unsupported,
                    reason,
                )))
            }
            _ => Ok(false),
        }
    }
}
