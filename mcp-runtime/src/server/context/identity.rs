//! The identity of the caller, and its scopes.

use std::any::Any;
use std::net::SocketAddr;
use std::sync::Arc;

use mcp_types::ErrorObject;

use super::{Context, ContextValue, FromContext, OptionalFromContext, no_identity};
use crate::connection::ClientIdentity;
use crate::error::{ProtocolError, RequestError};

impl Context {
    /// The identity of the caller, as a value of the type `T`.
    ///
    /// Over HTTP, the access policy, or an HTTP layer in front of the server, puts the value into
    /// the extensions of the request. For a WebSocket, this is the request that opened it. On other
    /// streams, the value is the one passed to [`Serve::identity`](crate::server::Serve::identity).
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
    /// A value of this type that an MCP layer has inserted takes precedence. The client's own name
    /// and version are in [`client_info`](Self::client_info).
    #[must_use]
    pub fn identity<T: Any + Send + Sync>(&self) -> Option<&T> {
        let left = self.values().get();
        left.or_else(|| self.peer().identity()?.extensions().get())
    }

    pub(in crate::server) fn lasting_identity(&self) -> Option<Arc<dyn ClientIdentity>> {
        self.peer().shared_identity().map(ClientIdentity::lasting)
    }

    /// The number of the connection or session, and the address of a client that has neither.
    #[cfg(feature = "layer")]
    pub(crate) fn connection(&self) -> (u64, Option<SocketAddr>) {
        let identity = self.peer().identity();
        let address = identity.and_then(ClientIdentity::address);
        (self.session_number(), address)
    }

    /// The name of the [`Principal`] that the access policy of an HTTP server, or a layer, has
    /// determined.
    ///
    /// The sealed state of a call is bound to this name.
    #[must_use]
    pub fn principal(&self) -> Option<&str> {
        self.identity().map(Principal::name)
    }

    /// Checks that the caller has all `needed` scopes.
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

    pub(crate) fn settle_denied(&self, error: Option<&ErrorObject>) {
        if let Some(identity) = self.peer().identity() {
            identity.settle_denied(error);
        }
    }
}

/// The authenticated sender of a request.
///
/// An [`AccessPolicy`](crate::transport::http::AccessPolicy), or an authenticating layer in front
/// of the server, puts it into the extensions of the request. A session belongs to the principal
/// that opened it; requests of other principals get the answer that the session does not exist.
/// Handlers take it as `&Principal`, or call [`Context::identity`](crate::Context::identity).
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
    /// Creates a principal. The name must be unique among all callers of the server, such as the
    /// issuer and subject of a token.
    #[must_use]
    pub fn new(name: impl AsRef<str>) -> Self {
        Self(name.as_ref().into())
    }

    /// Returns the name.
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
