//! Values that an access policy adds to a request that it admits.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::request::Parts;
use http::{Extensions, HeaderMap};
use mcp_types::ErrorObject;

use crate::connection::ClientIdentity;
use crate::error::{AccessDenied, Rejection, RequestError};
use crate::transport::http::exchange::exchange::Exchange;

/// Checks whether the caller of a request has the scopes that an operation needs.
///
/// An [`AccessPolicy`](crate::transport::http::AccessPolicy), or a layer in front of a mounted
/// service, puts it into the extensions of the request. Before a handler runs, the runtime calls it
/// with all scopes that the [server](crate::ServerBuilder) and the entry need, if they need any. A
/// denied request is answered with the status, headers and text of the [`AccessDenied`], which for
/// OAuth is 403 with `error="insufficient_scope"` (RFC 6750, section 3.1). In a batch and over
/// WebSocket, where an answer has no status of its own, the answer is a JSON-RPC error with the
/// same text.
///
/// Over HTTP and WebSocket, an operation that needs scopes is denied if the request has no
/// `ScopeCheck`. Other transports have no tokens, so scopes are not checked there.
///
/// ```
/// use std::collections::HashSet;
/// use http::header::{HeaderValue, WWW_AUTHENTICATE};
/// use mcp_runtime::transport::http::{AccessDenied, ScopeCheck};
///
/// let granted = HashSet::from(["files:read".to_owned()]);
/// let check = ScopeCheck::new(move |needed| {
///     if needed.iter().all(|scope| granted.contains(*scope)) {
///         return Ok(());
///     }
///     let needed = needed.join(" ");
///     let challenge = format!(r#"Bearer error="insufficient_scope", scope="{needed}""#);
///     let denied = AccessDenied::forbidden().message(format!("needs the scope {needed}"));
///     Err(match HeaderValue::try_from(challenge) {
///         Ok(challenge) => denied.header(WWW_AUTHENTICATE, challenge),
///         Err(_) => denied,
///     })
/// });
/// let mut request = http::Request::new(());
/// request.extensions_mut().insert(check);
/// ```
#[derive(Clone)]
pub struct ScopeCheck(Arc<ScopeCheckFn>);

type ScopeCheckFn = dyn Fn(&[&str]) -> Result<(), AccessDenied> + Send + Sync;

impl ScopeCheck {
    /// Creates a check from a function, which gets each needed scope once (RFC 6749, section 3.3).
    /// The function must not block.
    pub fn new(
        check: impl Fn(&[&str]) -> Result<(), AccessDenied> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(check))
    }

    /// Checks that the caller has all `needed` scopes.
    ///
    /// # Errors
    ///
    /// When the caller does not have them. The error becomes the answer to the request.
    pub fn check(&self, needed: &[&str]) -> Result<(), AccessDenied> {
        (self.0)(needed)
    }
}

impl fmt::Debug for ScopeCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopeCheck").finish_non_exhaustive()
    }
}

impl ClientIdentity for Exchange {
    fn extensions(&self) -> &Extensions {
        &self.arrival.parts.extensions
    }

    fn lasting(self: Arc<Self>) -> Arc<dyn ClientIdentity> {
        Arc::new(PastRequest(self.extensions().clone()))
    }

    fn address(&self) -> Option<SocketAddr> {
        match self.session {
            Some(_) => None,
            None => self.arrival.peer_addr,
        }
    }

    fn check_scopes(&self, needed: &[&str]) -> Result<(), RequestError> {
        check_scopes(self.extensions(), needed).map_err(|denied| {
            let error = access_denied(&denied);
            self.deny(denied);
            error
        })
    }

    fn has_scopes(&self, needed: &[&str]) -> bool {
        has_scopes(self.extensions(), needed)
    }

    fn refuse(&self, error: &RequestError) {
        let denied = match error {
            RequestError::TooManyRequests(time) => AccessDenied::too_many(*time),
            RequestError::TooManyConnections(_) => AccessDenied::unavailable(Duration::ZERO),
            _ => return,
        };
        self.deny(denied.message(error.to_string()));
    }

    fn settle_denied(&self, error: Option<&ErrorObject>) {
        self.clear_denial_unless(error);
    }
}

/// The extensions of a finished request whose call goes on.
struct PastRequest(Extensions);

impl ClientIdentity for PastRequest {
    fn extensions(&self) -> &Extensions {
        &self.0
    }

    fn lasting(self: Arc<Self>) -> Arc<dyn ClientIdentity> {
        self
    }

    fn check_scopes(&self, needed: &[&str]) -> Result<(), RequestError> {
        check_scopes(&self.0, needed).map_err(|denied| access_denied(&denied))
    }

    fn has_scopes(&self, needed: &[&str]) -> bool {
        has_scopes(&self.0, needed)
    }
}

fn check_scopes(extensions: &Extensions, needed: &[&str]) -> Result<(), AccessDenied> {
    let outcome = ScopeCheck::of(extensions, needed);
    outcome
        .unwrap_or_else(|| Err(unchecked(needed)))
        .inspect_err(|_| {
            tracing::debug!(?needed, "a caller does not have the needed scopes");
        })
}

fn has_scopes(extensions: &Extensions, needed: &[&str]) -> bool {
    matches!(ScopeCheck::of(extensions, needed), Some(Ok(())))
}

fn access_denied(denied: &AccessDenied) -> RequestError {
    let error = Rejection::Denied(Box::new(denied.clone())).to_error();
    RequestError::AccessDenied {
        code: error.code,
        message: error.message.into_owned(),
    }
}

impl ScopeCheck {
    /// Returns the decision of the request's check, if there is a check.
    fn of(extensions: &Extensions, needed: &[&str]) -> Option<Result<(), AccessDenied>> {
        Some(extensions.get::<Self>()?.check(needed))
    }
}

/// Denies a request that needs a [`ScopeCheck`] but does not have one.
fn unchecked(needed: &[&str]) -> AccessDenied {
    let reason =
        "this operation needs scopes, but the access policy of the server does not check scopes";
    crate::log::error!(?needed, "denied: the request has no `ScopeCheck`: {reason}");
    AccessDenied::forbidden().message(reason)
}

/// Headers that are added to the answer of an admitted request, whether it is a message, a stream
/// or an error. An example is `DPoP-Nonce` (RFC 9449, section 8.2).
///
/// An [`AccessPolicy`](crate::transport::http::AccessPolicy), or a layer in front of a mounted
/// service, puts them into the extensions of the request. `Debug` shows only their names.
///
/// ```
/// use http::header::{HeaderMap, HeaderName, HeaderValue};
/// use mcp_runtime::transport::http::ResponseHeaders;
///
/// let mut headers = HeaderMap::new();
/// let nonce = HeaderValue::from_static("eyJ7S_zG.eyJH0-Z.HX4w-7v");
/// headers.insert(HeaderName::from_static("dpop-nonce"), nonce);
/// let mut request = http::Request::new(());
/// request.extensions_mut().insert(ResponseHeaders(headers));
/// ```
#[derive(Clone, Default)]
pub struct ResponseHeaders(pub HeaderMap);

impl ResponseHeaders {
    /// Takes the headers that the policy has added, if any. They are boxed because most answers
    /// have none.
    pub(crate) fn take(parts: &mut Parts) -> Option<Box<HeaderMap>> {
        let Self(headers) = parts.extensions.remove()?;
        Some(Box::new(headers))
    }
}

impl fmt::Debug for ResponseHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
