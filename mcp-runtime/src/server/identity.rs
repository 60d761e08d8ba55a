//! Identity and scopes of the client of a stream, in builds without HTTP.

use std::any::Any;

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
    /// The client's own name is in [`client_info`](Self::client_info).
    #[must_use]
    pub fn identity<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.peer().identity()
    }

    /// Nobody vouches for the client.
    #[allow(clippy::unused_self, reason = "with HTTP, a policy or a layer may")]
    pub(super) fn principal(&self) -> Option<&str> {
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

    /// Scopes have no effect without HTTP.
    #[allow(clippy::unused_self, reason = "with HTTP, they are checked")]
    pub(super) fn has_scopes(&self, _: &[&str]) -> bool {
        true
    }
}
