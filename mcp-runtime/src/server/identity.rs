//! Identity and scopes of the client of a stream, in builds without HTTP.

use std::any::Any;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::ErrorObject;

use super::Context;
use crate::error::RequestError;

impl Context {
    /// The identity of the client that the program has set with
    /// [`Serve::identity`](super::Serve::identity), if it is a `T`.
    ///
    /// ```
    /// # use mcp_runtime::Context;
    /// struct User(String);
    ///
    /// fn name(cx: &Context) -> &str {
    ///     cx.identity::<User>().map_or("somebody", |user| &user.0)
    /// }
    /// ```
    ///
    /// The client's own name is in [`client_info`](Self::client_info). A value of this type that a layer
    /// has left with the request goes before it.
    #[must_use]
    pub fn identity<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.values().get().or_else(|| self.peer().identity())
    }

    /// What of the identity outlives the request.
    pub(super) fn lasting_identity(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        self.peer().any_identity()
    }

    /// The name of the principal: `None`, as nobody vouches for the client without HTTP.
    #[allow(clippy::unused_self, reason = "with HTTP, a policy or a layer may")]
    #[must_use]
    pub fn principal(&self) -> Option<&str> {
        None
    }

    /// Scopes have no effect without HTTP.
    #[allow(
        clippy::unnecessary_wraps,
        clippy::unused_self,
        reason = "with HTTP, they are checked"
    )]
    pub(super) fn check_scopes(&self, _: &[&str]) -> Result<(), RequestError> {
        Ok(())
    }

    /// The number of the connection; an address stands for it only over HTTP.
    pub(crate) fn connection(&self) -> (u64, Option<SocketAddr>) {
        (self.session_number(), None)
    }

    /// Answers have no status without HTTP.
    #[allow(clippy::unused_self, reason = "with HTTP, it is answered with 429")]
    pub(super) fn deny_until(&self, _: Duration, _: &ErrorObject) {}

    /// Answers have no status without HTTP.
    #[allow(clippy::unused_self, reason = "with HTTP, a request may be denied")]
    pub(super) fn settle_denied(&self, _: Option<&ErrorObject>) {}

    /// Scopes have no effect without HTTP.
    #[allow(clippy::unused_self, reason = "with HTTP, they are checked")]
    pub(super) fn has_scopes(&self, _: &[&str]) -> bool {
        true
    }
}
