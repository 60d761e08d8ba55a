//! The identity of the caller, and its scopes.

use std::any::Any;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::ErrorObject;

use super::{Context, ContextValue, FromContext, OptionalFromContext, no_identity};
use crate::connection::ClientIdentity;
use crate::error::{ProtocolError, RequestError};

impl Context {
    /// The identity of the caller: a value that the access policy of an HTTP server, or a layer in
    /// front of it, has put into the extensions of the request, or of the request that opened a
    /// WebSocket; on any other stream, what [`Serve::identity`](crate::server::Serve::identity) was given.
    ///
    /// ```
    /// # use mcp_runtime::Context;
    /// #[derive(Clone)]
    /// struct User(String);
    ///
    /// fn name(cx: &Context) -> &str {
    ///     cx.identity::<User>().map_or("somebody", |user| &user.0)
    /// }
    /// ```
    ///
    /// The client's own name and version are in [`client_info`](Self::client_info). A value of this
    /// type that a layer has left with the request precedes it.
    #[must_use]
    pub fn identity<T: Any + Send + Sync>(&self) -> Option<&T> {
        let left = self.values().get();
        left.or_else(|| self.peer().identity()?.extensions().get())
    }

    /// The part of the identity that outlives the request.
    pub(in crate::server) fn lasting_identity(&self) -> Option<Arc<dyn ClientIdentity>> {
        self.peer().shared_identity().map(ClientIdentity::lasting)
    }

    /// The number of the connection or session, and the address of a client that has none.
    #[cfg(feature = "layer")]
    pub(crate) fn connection(&self) -> (u64, Option<SocketAddr>) {
        let identity = self.peer().identity();
        let address = identity.and_then(ClientIdentity::address);
        (self.session_number(), address)
    }

    /// The name of the [`Principal`] that an access policy of an HTTP server, or a layer, has found.
    /// Sealed state belongs to it.
    #[must_use]
    pub fn principal(&self) -> Option<&str> {
        self.identity().map(Principal::name)
    }

    /// Checks that the caller has all scopes that are `needed`.
    ///
    /// # Errors
    ///
    /// When the caller does not have them.
    pub(in crate::server) fn check_scopes(&self, needed: &[&str]) -> Result<(), RequestError> {
        let identity = self.peer().identity();
        identity.map_or(Ok(()), |identity| identity.check_scopes(needed))
    }

    pub(in crate::server) fn has_scopes(&self, needed: &[&str]) -> bool {
        let identity = self.peer().identity();
        identity.is_none_or(|identity| identity.has_scopes(needed))
    }

    /// Answers an HTTP request of its own with 429: it may be repeated after a time. `error` is its
    /// outcome.
    pub(in crate::server) fn deny_until(&self, time: Duration, error: &ErrorObject) {
        if let Some(identity) = self.peer().identity() {
            identity.deny_until(time, error);
        }
    }

    /// Clears the recorded denial unless the request really ended with `error`.
    pub(in crate::server) fn settle_denied(&self, error: Option<&ErrorObject>) {
        if let Some(identity) = self.peer().identity() {
            identity.settle_denied(error);
        }
    }
}

/// The sender of a request, as an [`AccessPolicy`](crate::transport::http::AccessPolicy), or an
/// authenticating layer in front of the server, has found out.
///
/// It is put into the extensions of the request. A session then belongs to the principal that
/// opened it: to any other it does not exist. Handlers take it as `&Principal`, or ask
/// [`Context::identity`](crate::Context::identity) for it, or for other values that were put there.
///
/// ```
/// use mcp_runtime::transport::http::Principal;
///
/// let mut request = http::Request::new(());
/// request.extensions_mut().insert(Principal::new("user-17"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Principal(Arc<str>);

impl Principal {
    /// A principal by a name that is unique among all that the server may meet, such as the
    /// issuer and subject of a token.
    #[must_use]
    pub fn new(name: impl AsRef<str>) -> Self {
        Self(name.as_ref().into())
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0
    }
}

/// The caller. A call without a known principal is answered with an error.
#[diagnostic::do_not_recommend]
impl FromContext for Principal {
    fn from_context(cx: &Context) -> Result<Self, ProtocolError> {
        cx.identity().cloned().ok_or_else(no_identity)
    }
}

/// The caller; `None` for a call without a known principal.
#[diagnostic::do_not_recommend]
impl OptionalFromContext for Principal {
    fn optional(cx: &Context) -> Result<Option<ContextValue<Self>>, ProtocolError> {
        Ok(cx.identity().cloned().map(ContextValue::made))
    }
}
