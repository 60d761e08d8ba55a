//! Claims as parameters of handlers.

use mcp_runtime::server::{Borrowed, Context, FromContext, OptionalFromContext};
use mcp_runtime::{ProtocolError, types::jsonrpc::code};

use crate::jwt::Claims;

/// The claims of the caller's token. A call without a token, as over stdio, is answered with an error.
#[diagnostic::do_not_recommend]
impl FromContext for Claims {
    fn from_context(cx: &Context) -> Result<Self, ProtocolError> {
        let none = || ProtocolError::new(code::INVALID_REQUEST, "This needs an access token");
        cx.identity().cloned().ok_or_else(none)
    }
}

/// The claims of the caller's token; `None` for a call without one.
#[diagnostic::do_not_recommend]
impl OptionalFromContext for Claims {
    fn optional(cx: &Context) -> Result<Option<Borrowed<Self>>, ProtocolError> {
        Ok(cx.identity().cloned().map(Borrowed::made))
    }
}
