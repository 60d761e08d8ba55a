//! What a handler may take by reference.

use crate::ProtocolError;
use crate::connection::Peer;
use crate::server::{Borrowed, Context, Server};

/// A value that is made from the context of a call.
///
/// Every parameter that a tool, prompt or resource takes by reference comes from here; implement
/// it for your own type to hand handlers what they need, such as the caller's identity.
///
/// ```
/// use mcp_runtime::{Context, FromContext, ProtocolError};
///
/// /// The name that the client goes by.
/// struct ClientName(String);
///
/// impl FromContext for ClientName {
///     fn from_context(cx: &Context) -> Result<Self, ProtocolError> {
///         let name = cx.client_info().map(|info| info.name.clone());
///         Ok(Self(name.unwrap_or_else(|| "nobody".to_owned())))
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`&{Self}` cannot be taken from the context of a call",
    label = "does not implement `FromContext`",
    note = "if the caller sends it, take it by value: `{Self}`; else implement `FromContext` for it"
)]
pub trait FromContext: Sized + Send + Sync + 'static {
    /// Makes the value.
    ///
    /// # Errors
    ///
    /// When this call has no such value; the call is answered with the error, and the handler is
    /// not entered.
    fn from_context(cx: &Context) -> Result<Self, ProtocolError>;

    /// What a handler is lent for the time of the call: the value that is made, unless the call
    /// holds one already that need not be copied.
    ///
    /// # Errors
    ///
    /// As for [`from_context`](Self::from_context).
    fn lend(cx: &Context) -> Result<Borrowed<Self>, ProtocolError> {
        Self::from_context(cx).map(Borrowed::made)
    }
}

#[diagnostic::do_not_recommend]
impl FromContext for Peer {
    fn from_context(cx: &Context) -> Result<Self, ProtocolError> {
        Ok(cx.peer().clone())
    }
}

#[diagnostic::do_not_recommend]
impl FromContext for Context {
    fn from_context(cx: &Context) -> Result<Self, ProtocolError> {
        Ok(cx.clone())
    }
}

#[diagnostic::do_not_recommend]
impl FromContext for Server {
    fn from_context(cx: &Context) -> Result<Self, ProtocolError> {
        Ok(cx.server().clone())
    }
}
