//! A request as it arrives, and the caller that has sent it.

use std::net::SocketAddr;
use std::sync::Arc;

use http::request::Parts;

use crate::error::ProtocolError;
use crate::server::context::no_identity;
use crate::server::{Borrowed, Context, FromContext, OptionalFromContext};

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
    fn optional(cx: &Context) -> Result<Option<Borrowed<Self>>, ProtocolError> {
        Ok(cx.identity().cloned().map(Borrowed::made))
    }
}

/// The address that a request comes from, for policies that limit callers who are not known yet.
///
/// It is in the extensions of requests for the [endpoints](super::AccessPolicy::respond) of a policy, if
/// the server has accepted the connection. A program that [mounts](super::http_service) the server may put
/// it there, such as the address that a trusted proxy reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerAddr(pub SocketAddr);

/// A request without its body.
pub(crate) struct Arrival {
    pub(crate) parts: Box<Parts>,
    /// Absent where another program has accepted the connection.
    pub(crate) peer_addr: Option<SocketAddr>,
}

impl Arrival {
    pub(crate) fn principal(&self) -> Option<&Principal> {
        self.parts.extensions.get()
    }
}
