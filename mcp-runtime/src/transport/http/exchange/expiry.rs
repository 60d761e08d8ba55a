//! The end of a caller's access, which also ends the caller's streams.

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
/// service, puts it into the extensions of the request. At that time, each stream that the request
/// has opened ends:
///
/// - a call or a subscription that is answered with a stream of events ends with a JSON-RPC error
///   (-32603), and its handler is dropped,
/// - the stream of a session, which GET has opened, ends with a comment, and the session continues,
/// - the stream of HTTP+SSE ends with errors for the calls in flight and a comment,
/// - a WebSocket ends with close code 1008, after the calls in flight have had the drain time to finish.
///
/// A call that is answered with plain JSON continues, because it began in time. If it takes so long
/// that its answer becomes a stream
/// ([`keep_alive`](crate::transport::http::HttpOptions::keep_alive)), it ends then. The client can
/// come back with a new token and resume its subscriptions. If access may end earlier, use
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

/// A check of whether a caller still has access. It is meant for streams that outlast what an
/// [`AccessPolicy`](crate::transport::http::AccessPolicy) knew when it admitted their request: a
/// token may be revoked before it expires.
///
/// The policy, or a layer in front of a mounted service, puts it into the extensions of the
/// request. For each stream that the request has opened, the check is called when it is due, and
/// again at the time that it returns, but never twice within 5 seconds. When the check denies
/// access, the stream ends as it does at the time of [`AccessExpires`]. If the check fails with a
/// status of 500 to 599, panics, or takes longer than
/// [`auth_timeout`](crate::transport::http::HttpOptions::auth_timeout), it is repeated once after 5
/// seconds, and then the stream ends. Messages are delivered meanwhile.
///
/// ```
/// use std::time::{Duration, Instant};
/// use mcp_runtime::transport::http::{AccessDenied, AccessRevalidation};
///
/// /// Looks up the token in your database.
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
    /// Creates a check that is due at the time `at`, and returns when it is due again.
    pub fn new<F>(at: std::time::Instant, check: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<std::time::Instant, AccessDenied>> + Send + 'static,
    {
        Self {
            at: at.into(),
            check: Arc::new(move || Box::pin(check())),
        }
    }

    /// Calls the check whenever it is due, until access is denied. `limit` is the time for one
    /// call.
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
                    tracing::debug!(%error, "the access to a stream can't be checked and will be checked once more");
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

/// The access of a request's sender, if it can end.
pub(crate) struct Access {
    expires: Option<Instant>,
    revalidation: Option<AccessRevalidation>,
    /// How long a revalidation may take.
    limit: Duration,
}

impl Access {
    /// Returns the access of a request's sender; `None` if it does not end. `limit` is the time for
    /// a revalidation.
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

/// The access of a request's sender, and the stream of the answer.
pub(crate) struct Expiry {
    access: Access,
    stream: Arc<Stream>,
}

impl Expiry {
    /// Returns the access of a request's sender; `None` if it does not end. `limit` is the time for
    /// a revalidation.
    pub(crate) fn of(parts: &Parts, stream: &Arc<Stream>, limit: Duration) -> Option<Self> {
        let access = Access::of(parts, limit)?;
        let stream = Arc::clone(stream);
        Some(Self { access, stream })
    }

    /// Runs a handler. It is dropped once the access has ended and its answer is a stream. An
    /// answer in plain JSON sends nothing before it is done, so its handler may continue.
    ///
    /// # Errors
    ///
    /// [`RequestError::AccessExpired`], or the error of the handler.
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
