//! The end of a caller's access, at which its streams end.

use std::fmt;
use std::future::pending;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http::request::Parts;
use mcp_types::jsonrpc::ErrorObject;
use tokio::time::{Instant, sleep_until};

use super::stream::Stream;
use crate::connection::BoxFuture;
use crate::error::{AccessDenied, RequestError};
use crate::limits::{FOREVER, REVALIDATION_PAUSE};
use crate::transport::http::server::policy::decided;

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
/// back with a new token, and resumes its subscriptions. For access that may end before, there is
/// [`AccessRevalidation`].
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

/// A check whether the access of a caller still holds, for streams that outlast what an
/// [`AccessPolicy`](crate::transport::http::AccessPolicy) knew when it admitted their request: a
/// token may be revoked before it expires.
///
/// The policy, or a layer in front of a mounted service, puts it into the extensions of the request.
/// Each stream that the request has opened has it called when the time is over, and again at the time
/// that it returns, but never twice within 5 seconds. When it denies access, the stream ends as it does
/// at the time of [`AccessExpires`]. A check that fails with a status of 500 to 599, panics, or takes
/// longer than [`auth_timeout`](crate::transport::http::HttpOptions::auth_timeout) is repeated once,
/// after 5 seconds; then the stream ends, too. Messages are delivered meanwhile.
///
/// ```
/// use std::time::{Duration, Instant};
/// use mcp_runtime::transport::http::{AccessDenied, AccessRevalidation};
///
/// /// Asks your database.
/// async fn is_revoked(_token: u64) -> bool {
///     false
/// }
///
/// let token = 17;
/// let in_a_minute = || Instant::now() + Duration::from_secs(60);
/// let revalidation = AccessRevalidation::new(in_a_minute(), move || async move {
///     match is_revoked(token).await {
///         true => Err(AccessDenied::forbidden()),
///         false => Ok(in_a_minute()),
///     }
/// });
/// let mut request = http::Request::new(());
/// request.extensions_mut().insert(revalidation);
/// ```
#[derive(Clone)]
pub struct AccessRevalidation {
    at: Instant,
    check: Arc<RevalidationFn>,
}

type RevalidationFn = dyn Fn() -> BoxFuture<Result<std::time::Instant, AccessDenied>> + Send + Sync;

impl AccessRevalidation {
    /// A check that is due `at` a time, and returns the time at which it is due again.
    pub fn new<F>(at: std::time::Instant, check: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<std::time::Instant, AccessDenied>> + Send + 'static,
    {
        Self {
            at: at.into(),
            check: Arc::new(move || Box::pin(check())),
        }
    }

    /// Calls the check when it is due, until the access does not hold any more. `limit` is the time
    /// for one call.
    async fn denied(self, limit: Duration) {
        let mut at = self.at;
        let mut is_repeated = false;
        loop {
            sleep_until(at.min(Instant::now() + FOREVER)).await;
            let outcome = decided(limit, || (self.check)()).await;
            let next_at_least = Instant::now() + REVALIDATION_PAUSE;
            (at, is_repeated) = match outcome {
                Ok(next) => (next_at_least.max(next.into()), false),
                Err(error) if error.status().is_server_error() && !is_repeated => {
                    tracing::debug!(%error, "the access to a stream can't be checked: once more");
                    (next_at_least, true)
                }
                Err(error) => return tracing::debug!(%error, "the access to a stream has ended"),
            };
        }
    }
}

impl fmt::Debug for AccessRevalidation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessRevalidation")
            .field("at", &self.at)
            .finish_non_exhaustive()
    }
}

/// The access of a request's sender, which may end.
pub(crate) struct Access {
    expires: Option<Instant>,
    revalidation: Option<AccessRevalidation>,
    /// Time for a revalidation.
    limit: Duration,
}

impl Access {
    /// `None` if the access of the sender does not end. `limit` is the time for a revalidation.
    pub(crate) fn of(parts: &Parts, limit: Duration) -> Option<Self> {
        let expires = parts.extensions.get().map(|AccessExpires(end)| {
            let left = end.duration_since(SystemTime::now()).unwrap_or_default();
            Instant::now() + left.min(FOREVER)
        });
        let revalidation = parts.extensions.get().cloned();
        (expires.is_some() || revalidation.is_some()).then_some(Self {
            expires,
            revalidation,
            limit,
        })
    }

    /// Waits until the access has ended.
    pub(crate) async fn end(self) {
        let expired = async {
            match self.expires {
                Some(end) => sleep_until(end).await,
                None => pending().await,
            }
        };
        let denied = async {
            match self.revalidation {
                Some(revalidation) => revalidation.denied(self.limit).await,
                None => pending().await,
            }
        };
        tokio::select! {
            () = expired => {}
            () = denied => {}
        }
    }
}

/// The access with which a request came, and the stream of its answer.
pub(crate) struct Expiry {
    access: Access,
    stream: Arc<Stream>,
}

impl Expiry {
    /// `None` if the access of the sender does not end. `limit` is the time for a revalidation.
    pub(crate) fn of(parts: &Parts, stream: &Arc<Stream>, limit: Duration) -> Option<Self> {
        let access = Access::of(parts, limit)?;
        let stream = Arc::clone(stream);
        Some(Self { access, stream })
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
        let Some(Self { access, stream }) = expiry else {
            return handler.await;
        };
        let ended = async {
            stream.opened().await;
            access.end().await;
        };
        tokio::select! {
            biased;
            outcome = handler => outcome,
            () = ended => Err(RequestError::AccessExpired.to_error()),
        }
    }
}
