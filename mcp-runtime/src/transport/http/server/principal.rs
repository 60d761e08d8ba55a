//! Who calls.

use std::fmt;
use std::sync::Arc;

/// Who sends a request, as far as an authenticating layer in front of the server has found out.
///
/// A layer puts it into the extensions of the request. A session then belongs to whoever opened
/// it: to anybody else it does not exist. Handlers take it as `&Principal`, or ask
/// [`Context::identity`](crate::Context::identity) for it, or for whatever else the layer has put
/// there.
///
/// ```
/// use mcp_runtime::transport::http::Principal;
///
/// let mut request = http::Request::new(());
/// request.extensions_mut().insert(Principal::new("user-17"));
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
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

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Principal").field(&self.name()).finish()
    }
}
