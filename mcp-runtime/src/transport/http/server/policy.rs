//! Access policies, which decide who may call.

use std::error::Error;
use std::future::{self, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http::{Request, Response, StatusCode};

use crate::error::{AccessDenied, Rejection, ServeError};

/// Decides who may call a server over HTTP, HTTP+SSE and WebSocket.
///
/// It is set with [`Http::auth`](crate::transport::http::Http::auth) or
/// [`HttpOptions::auth`](crate::transport::http::HttpOptions::auth). The policy decides about each
/// request after `Host` and `Origin` are checked and before the body is read; over WebSocket, it
/// decides about the request that opens the connection. It is not asked about `OPTIONS`, which
/// pages send without credentials, nor about `/health`.
///
/// ```
/// use http::header::{AUTHORIZATION, HeaderValue};
/// use http::request::Parts;
/// use mcp_runtime::transport::http::{AccessDenied, AccessPolicy, HttpOptions, Principal};
///
/// /// The caller, which handlers get with `cx.identity::<User>()`.
/// #[derive(Clone)]
/// struct User {
///     name: String,
/// }
///
/// struct Tokens;
///
/// impl Tokens {
///     async fn user(&self, token: &[u8]) -> Option<User> {
///         // Look up the hash of the token.
/// #       let _ = token;
/// #       None
///     }
/// }
///
/// impl AccessPolicy for Tokens {
///     async fn admit(&self, request: &mut Parts) -> Result<(), AccessDenied> {
///         // Remove the token, so that no handler passes it on.
///         let header = request.headers.remove(AUTHORIZATION);
///         let token = header.as_ref().and_then(|header| header.as_bytes().strip_prefix(b"Bearer "));
///         let user = match token {
///             Some(token) => self.user(token).await,
///             None => None,
///         };
///         let Some(user) = user else {
///             let challenge = HeaderValue::from_static("Bearer");
///             return Err(AccessDenied::unauthorized(challenge));
///         };
///         request.extensions.insert(Principal::new(&user.name));
///         request.extensions.insert(user);
///         Ok(())
///     }
/// }
///
/// let options = HttpOptions::default().auth(Tokens);
/// # drop(options);
/// ```
///
/// While the policy decides, the request is treated as a call in flight
/// ([`max_in_flight`](crate::transport::http::HttpOptions::max_in_flight) of its connection,
/// [`max_calls`](crate::transport::http::HttpOptions::max_calls) of all). After
/// [`auth_timeout`](crate::transport::http::HttpOptions::auth_timeout) the decision is abandoned
/// and the request is answered with 503. A panic is answered with 500; its message is not logged,
/// because it may quote a token.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an `AccessPolicy`",
    label = "not an `AccessPolicy`",
    note = "`OAuth` is for clients; to accept its tokens, use `ResourceServer::new(url).issuer(url)` of `mcp-auth`",
    note = "for one token that all callers share, use `BearerToken::new(\"…\")` of `mcp-auth`, with its feature `server`",
    note = "a `Result` needs a `?` first: `BearerTokens::from_env(\"…\")?`"
)]
pub trait AccessPolicy: Send + Sync + 'static {
    /// Admits a request, and records its caller in the extensions of the request: as a
    /// [`Principal`](crate::transport::http::Principal), to which sessions, sealed state and limits
    /// belong, and as values of any type for handlers
    /// ([`Context::identity`](crate::Context::identity)).
    ///
    /// The runtime also reads from the extensions which scopes the caller has
    /// ([`ScopeCheck`](crate::transport::http::ScopeCheck)), when the access ends
    /// ([`AccessExpires`](crate::transport::http::AccessExpires)), how to check it while streams
    /// are open ([`AccessRevalidation`](crate::transport::http::AccessRevalidation)), and which
    /// headers to add to the answer ([`ResponseHeaders`](crate::transport::http::ResponseHeaders)).
    /// The policy may also change headers, for example to remove credentials. The future is dropped
    /// when the client leaves.
    ///
    /// # Errors
    ///
    /// When the request is not admitted. The error becomes its answer.
    fn admit(&self, request: &mut Parts) -> impl Future<Output = Result<(), AccessDenied>> + Send;

    /// Checks the policy once, before a server opens or serves anything. The default implementation
    /// accepts it.
    ///
    /// `path` is the path of MCP, such as `/mcp`. It is `None` if the server does not know the
    /// path, as in a program that [mounts](crate::transport::http::http_service) the server.
    ///
    /// # Errors
    ///
    /// When the policy can never work, for example because a setting can't be parsed. Serving then
    /// fails with [`ServeError::Setting`](crate::error::ServeError::Setting), which names `auth`.
    fn start(&self, path: Option<&str>) -> Result<(), Box<dyn Error + Send + Sync>> {
        let _ = path;
        Ok(())
    }

    /// Returns true if clients may reach the server by this host, in addition to
    /// [`allowed_hosts`](crate::transport::http::HttpOptions::allowed_hosts). The host is in lower
    /// case and has no port. The default implementation allows no host. The method must not block.
    fn allows_host(&self, host: &str) -> bool {
        let _ = host;
        false
    }

    /// Returns the JSON document at `path`, which anyone may GET (or HEAD) without credentials,
    /// such as the metadata of RFC 9728 below `/.well-known/`. The default implementation has no
    /// documents. The method must not block.
    ///
    /// A server with its own listener serves the documents next to its other paths, except at
    /// `/health`. A [mounted](crate::transport::http::http_service) service serves them at the
    /// paths where it is mounted:
    /// `Router::route_service("/.well-known/oauth-protected-resource/mcp", mcp.clone())` in axum.
    /// Hosts, origins and CORS are handled as for MCP.
    fn document(&self, path: &str) -> Option<Bytes> {
        let _ = path;
        None
    }

    /// Returns true if the policy itself answers requests for `path` with
    /// [`respond`](Self::respond), as for an endpoint of an authorization server. The default
    /// implementation has no endpoints. The method must not block. Endpoints are served at the same
    /// paths as [documents](Self::document).
    fn has_endpoint(&self, path: &str) -> bool {
        let _ = path;
        false
    }

    /// Answers a request for one of the policy's [endpoints](Self::has_endpoint) with any status,
    /// headers and body, such as pages, redirects and cookies.
    ///
    /// Only `Host` has been checked. The policy itself decides about methods, credentials and
    /// `Origin`, which browsers also send with the policy's own forms. Pages of allowed origins may
    /// read the answer, and their preflight requests are answered. A body may have at most 64 KiB
    /// (413). The request is treated as a call in flight and has a time limit, as for
    /// [`admit`](Self::admit).
    fn respond(&self, request: Request<Bytes>) -> impl Future<Output = Response<Bytes>> + Send {
        drop(request);
        let mut response = Response::new(Bytes::new());
        *response.status_mut() = StatusCode::NOT_FOUND;
        future::ready(response)
    }
}

/// The [`AccessPolicy`] of a server, if it has one. It has the methods of the policy, with a
/// time limit and with panics contained. Clones share the policy.
#[derive(Clone, Default)]
pub(crate) struct Policy(Option<Arc<dyn ErasedPolicy>>);

type PolicyFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// [`AccessPolicy`] with its futures on the heap, so that it can be a trait object.
trait ErasedPolicy: Send + Sync {
    fn admit<'a>(&'a self, request: &'a mut Parts) -> PolicyFuture<'a, Result<(), AccessDenied>>;

    fn start(&self, path: Option<&str>) -> Result<(), Box<dyn Error + Send + Sync>>;

    fn allows_host(&self, host: &str) -> bool;

    fn document(&self, path: &str) -> Option<Bytes>;

    fn has_endpoint(&self, path: &str) -> bool;

    fn respond(&self, request: Request<Bytes>) -> PolicyFuture<'_, Response<Bytes>>;
}

impl<P: AccessPolicy> ErasedPolicy for P {
    fn admit<'a>(&'a self, request: &'a mut Parts) -> PolicyFuture<'a, Result<(), AccessDenied>> {
        Box::pin(AccessPolicy::admit(self, request))
    }

    fn start(&self, path: Option<&str>) -> Result<(), Box<dyn Error + Send + Sync>> {
        AccessPolicy::start(self, path)
    }

    fn allows_host(&self, host: &str) -> bool {
        AccessPolicy::allows_host(self, host)
    }

    fn document(&self, path: &str) -> Option<Bytes> {
        AccessPolicy::document(self, path)
    }

    fn has_endpoint(&self, path: &str) -> bool {
        AccessPolicy::has_endpoint(self, path)
    }

    fn respond(&self, request: Request<Bytes>) -> PolicyFuture<'_, Response<Bytes>> {
        Box::pin(AccessPolicy::respond(self, request))
    }
}

impl Policy {
    pub(super) fn new(policy: impl AccessPolicy) -> Self {
        Self(Some(Arc::new(policy)))
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.is_some()
    }

    /// Checks the policy before a server opens.
    ///
    /// # Errors
    ///
    /// [`ServeError::Setting`], which names `auth`.
    pub(super) fn start(&self, path: Option<&str>) -> Result<(), ServeError> {
        let started = self.0.as_ref().map_or(Ok(()), |policy| policy.start(path));
        let name = "auth";
        started.map_err(|error| ServeError::Setting { name, error })
    }

    /// Admits a request. Without a policy, every request is admitted.
    ///
    /// # Errors
    ///
    /// When the policy denies access, takes longer than `limit`, or panics.
    pub(super) async fn admit(
        &self,
        limit: Duration,
        request: &mut Parts,
    ) -> Result<(), Rejection> {
        match &self.0 {
            Some(policy) => decided(limit, || policy.admit(request)).await,
            None => Ok(()),
        }
    }

    /// Returns true if clients may reach the server by this host.
    ///
    /// # Errors
    ///
    /// When the policy panics.
    pub(super) fn allows_host(&self, host: &str) -> Result<bool, Rejection> {
        self.ask(false, |policy| policy.allows_host(host))
    }

    /// Returns the policy's document at `path`.
    ///
    /// # Errors
    ///
    /// When the policy panics.
    pub(super) fn document(&self, path: &str) -> Result<Option<Bytes>, Rejection> {
        self.ask(None, |policy| policy.document(path))
    }

    /// Returns true if the policy answers requests for `path`.
    ///
    /// # Errors
    ///
    /// When the policy panics.
    pub(super) fn has_endpoint(&self, path: &str) -> Result<bool, Rejection> {
        self.ask(false, |policy| policy.has_endpoint(path))
    }

    /// Answers a request for an endpoint of the policy.
    ///
    /// # Errors
    ///
    /// When the policy takes longer than `limit` or panics.
    pub(super) async fn respond(
        &self,
        limit: Duration,
        request: Request<Bytes>,
    ) -> Result<Response<Bytes>, Rejection> {
        match &self.0 {
            Some(policy) => in_time(limit, || policy.respond(request)).await,
            None => Err(Rejection::Internal),
        }
    }

    /// Returns true if the policy has a document or an endpoint at `path`, or if asking it panics.
    pub(super) fn has_path(&self, path: &str) -> bool {
        !matches!(
            (self.document(path), self.has_endpoint(path)),
            (Ok(None), Ok(false))
        )
    }

    /// Returns the policy's answer to `question`, or `default` if there is no policy.
    fn ask<T>(
        &self,
        default: T,
        question: impl FnOnce(&dyn ErasedPolicy) -> T,
    ) -> Result<T, Rejection> {
        match &self.0 {
            Some(policy) => contain(|| question(&**policy)),
            None => Ok(default),
        }
    }
}

/// Runs a step of a policy and contains its panics.
///
/// # Errors
///
/// [`Rejection::Internal`] if the step panics.
fn contain<T>(step: impl FnOnce() -> T) -> Result<T, Rejection> {
    catch_unwind(AssertUnwindSafe(step)).map_err(|_| {
        crate::log::error!("the access policy panicked");
        Rejection::Internal
    })
}

/// Runs a step of a policy that decides about access, within a time limit.
///
/// # Errors
///
/// When the step denies access, takes too long, or panics.
pub(crate) async fn decided<T, F>(limit: Duration, step: impl FnOnce() -> F) -> Result<T, Rejection>
where
    F: Future<Output = Result<T, AccessDenied>> + Unpin,
{
    let outcome = in_time(limit, step).await?;
    outcome.map_err(|denied| Rejection::Denied(Box::new(denied)))
}

/// Runs a step of a policy within a time limit.
///
/// # Errors
///
/// When the step takes too long or panics.
async fn in_time<F>(limit: Duration, step: impl FnOnce() -> F) -> Result<F::Output, Rejection>
where
    F: Future + Unpin,
{
    let mut step = contain(step)?;
    let polled = poll_fn(|cx| match contain(|| Pin::new(&mut step).poll(cx)) {
        Ok(poll) => poll.map(Ok),
        Err(panic) => Poll::Ready(Err(panic)),
    });
    let outcome = tokio::time::timeout(limit, polled).await;
    outcome.map_err(|_| Rejection::PolicyTimeout)?
}
