//! Who is at the other end of a stream.

use std::any::Any;

use super::Context;

impl Context {
    /// Who calls, as far as the program has said: what [`Serve::identity`](super::Serve::identity)
    /// was given, if it is a `T`.
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
    /// What the client says of itself is in [`client_info`](Self::client_info).
    #[must_use]
    pub fn identity<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.peer().identity()
    }
}
