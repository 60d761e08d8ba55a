//! The end of a caller's access, at which its streams end.

use std::sync::Arc;
use std::time::SystemTime;

use http::request::Parts;
use mcp_types::jsonrpc::ErrorObject;
use tokio::time::{Instant, sleep_until};

use super::stream::Stream;
use crate::error::RequestError;
use crate::limits::FOREVER;

/// The time at which the access of a caller ends, such as the expiry of a token.
///
/// An [`AccessPolicy`](crate::transport::http::AccessPolicy), or a layer in front of a mounted
/// service, puts it into the extensions of the request. Each stream that the request has opened
/// ends then:
///
/// - a call or a subscription that is answered by a stream of events, by a JSON-RPC error (-32603);
///   its handler is dropped,
/// - the stream of a session that GET has opened, by a comment; the session goes on,
/// - the stream of HTTP+SSE by errors for the calls in flight and a comment,
/// - a WebSocket by close code 1008; the calls in flight have the drain time to finish.
///
/// A call that is answered in plain JSON goes on, as it has begun in time. If it takes so long that
/// its answer becomes a stream
/// ([`keep_alive`](crate::transport::http::HttpOptions::keep_alive)), it ends then. A client comes
/// back with a new token, and resumes its subscriptions.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use mcp_runtime::transport::http::AccessExpires;
///
/// let mut request = http::Request::new(());
/// let expires = SystemTime::now() + Duration::from_secs(3600);
/// request.extensions_mut().insert(AccessExpires(expires));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessExpires(pub SystemTime);

impl AccessExpires {
    /// The time at which the access of a request's sender ends; `None` if it does not.
    pub(crate) fn deadline(parts: &Parts) -> Option<Instant> {
        let Self(end) = parts.extensions.get()?;
        let left = end.duration_since(SystemTime::now()).unwrap_or_default();
        Some(Instant::now() + left.min(FOREVER))
    }
}

/// The end of the access with which a request came, and the stream of its answer.
pub(crate) struct Expiry {
    deadline: Instant,
    stream: Arc<Stream>,
}

impl Expiry {
    /// `None` if the access of the sender does not end.
    pub(crate) fn of(parts: &Parts, stream: &Arc<Stream>) -> Option<Self> {
        let deadline = AccessExpires::deadline(parts)?;
        let stream = Arc::clone(stream);
        Some(Self { deadline, stream })
    }

    /// Runs a handler that waits. It is dropped once the access has ended and its answer is a
    /// stream; until then it may go on, as an answer in plain JSON says nothing before it is done.
    ///
    /// # Errors
    ///
    /// [`RequestError::AccessExpired`], or that of the handler.
    pub(crate) async fn end<T>(
        expiry: Option<Self>,
        handler: impl Future<Output = Result<T, ErrorObject>>,
    ) -> Result<T, ErrorObject> {
        let Some(Self { deadline, stream }) = expiry else {
            return handler.await;
        };
        let ended = async {
            sleep_until(deadline).await;
            stream.opened().await;
        };
        tokio::select! {
            biased;
            outcome = handler => outcome,
            () = ended => Err(RequestError::AccessExpired.to_error()),
        }
    }
}
