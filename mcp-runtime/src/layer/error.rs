//! Errors of layers.

use std::time::Duration;

/// The error of a layer.
///
/// A server answers with a [`ProtocolError`](crate::ProtocolError) as it is, with
/// [`TooManyRequests`] as that describes, and with any other one as an internal error (-32603)
/// without details, whose text is logged.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A request was refused, for there were too many; the caller may repeat it after a time.
///
/// Answered with the JSON-RPC error -32603, whose `data.retryAfterMs` is the time in milliseconds.
/// A request that is alone in its HTTP request is answered with the status 429 and `Retry-After` as
/// well (RFC 6585, section 4).
///
/// ```
/// use std::time::Duration;
/// use mcp_runtime::layer::{McpRequest, Next, TooManyRequests, from_fn};
///
/// let closed = from_fn(async |_: McpRequest, _: Next| {
///     Err(TooManyRequests::retry_after(Duration::from_secs(3600)).into())
/// });
/// # drop(closed);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many requests: the next one is served in {retry_after:?}")]
pub struct TooManyRequests {
    retry_after: Duration,
}

impl TooManyRequests {
    /// The refusal of a request that may be repeated after a time.
    #[must_use]
    pub const fn retry_after(retry_after: Duration) -> Self {
        Self { retry_after }
    }

    /// The time after which the request may be repeated.
    #[must_use]
    pub const fn time(&self) -> Duration {
        self.retry_after
    }
}
