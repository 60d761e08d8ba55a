//! Values that a handler takes by reference, made from the context of its call.

use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use mcp_types::jsonrpc::code;

use super::{CancellationToken, Context};
use crate::ProtocolError;
use crate::connection::Peer;
use crate::server::Server;

/// A value that is made from the context of a call.
///
/// Every parameter that a handler takes by reference must implement this trait. Derive it for the
/// caller's [identity](derive@crate::FromContext), and implement it for other types of your own.
///
/// ```
/// use mcp_runtime::{Context, FromContext, ProtocolError};
///
/// /// The name that the client gives itself.
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
    note = "if the caller sends it, take it by value: `{Self}`",
    note = "if it is the caller's identity: `#[derive(FromContext)] #[from_context(identity)]`",
    note = "the context itself is `mcp_runtime::Context`"
)]
pub trait FromContext: Sized + Send + Sync + 'static {
    /// Makes the value.
    ///
    /// # Errors
    ///
    /// When this call has no such value. The call is then answered with the error, and the handler
    /// does not run.
    fn from_context(cx: &Context) -> Result<Self, ProtocolError>;

    /// Returns the value for a handler to borrow. By default, it is made for the call.
    ///
    /// # Errors
    ///
    /// As for [`from_context`](Self::from_context).
    fn lend(cx: &Context) -> Result<ContextValue<Self>, ProtocolError> {
        Self::from_context(cx).map(ContextValue::made)
    }
}

/// A value that only some calls have. A handler takes it as `Option<&T>`.
///
/// Derived together with [`FromContext`](trait@FromContext) for the caller's identity.
#[diagnostic::on_unimplemented(
    message = "`Option<&{Self}>` cannot be taken from the context of a call",
    label = "take `&{Self}`: it is always there",
    note = "`Option` is only for values that some calls lack, such as the caller's identity"
)]
pub trait OptionalFromContext: FromContext {
    /// Returns the value, or `None` if this call does not have it.
    ///
    /// # Errors
    ///
    /// When the call has the value, but it can't be used. The call is answered with the error.
    fn optional(cx: &Context) -> Result<Option<ContextValue<Self>>, ProtocolError>;
}

/// The caller's identity, if it is a `T`.
pub fn identity<T: Any + Clone + Send + Sync>(cx: &Context) -> Option<T> {
    cx.identity().cloned()
}

/// The error of a call that needs the caller's identity but does not have it.
pub fn no_identity() -> ProtocolError {
    ProtocolError::new(code::INVALID_REQUEST, "This needs to know who calls")
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

#[diagnostic::do_not_recommend]
impl FromContext for CancellationToken {
    fn from_context(cx: &Context) -> Result<Self, ProtocolError> {
        Ok(cx.cancellation().clone())
    }
}

/// A value that a handler takes by reference: made for the call, or shared.
///
/// Returned by [`FromContext::lend`].
pub struct ContextValue<T>(Lent<T>);

enum Lent<T> {
    Made(T),
    Shared(Arc<dyn AsRef<T> + Send + Sync>),
}

impl<T> ContextValue<T> {
    /// A value that was made for the call.
    #[must_use]
    pub fn made(value: T) -> Self {
        Self(Lent::Made(value))
    }

    /// A value that is part of `holder`.
    #[must_use]
    pub fn shared(holder: Arc<dyn AsRef<T> + Send + Sync>) -> Self {
        Self(Lent::Shared(holder))
    }
}

impl<T> Deref for ContextValue<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.0 {
            Lent::Made(value) => value,
            Lent::Shared(holder) => (**holder).as_ref(),
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for ContextValue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
