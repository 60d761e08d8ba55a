//! The HTTP request that a handler serves, and its caller.

use std::any::Any;
use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use http::request::Parts;
use mcp_types::jsonrpc::code;

use super::exchange::Exchange;
use crate::error::ProtocolError;
use crate::server::{Borrowed, Context, FromContext, OptionalFromContext, Principal};

/// The HTTP request that a handler serves: its headers, extensions and more.
///
/// ```
/// use mcp_runtime::prelude::*;
/// use mcp_runtime::transport::http::HttpRequest;
///
/// struct Library;
///
/// #[mcp_server]
/// impl Library {
///     /// Says which program calls.
///     #[tool]
///     fn agent(&self, request: &HttpRequest) -> String {
///         let agent = request.headers.get("user-agent");
///         agent.and_then(|agent| agent.to_str().ok()).unwrap_or("nobody").to_owned()
///     }
/// }
/// ```
///
/// Over WebSocket it is the request that opened the connection. A handler that takes it answers
/// with an error on any other transport. Where only the parts of the request are of interest,
/// `&http::request::Parts` does as well.
#[derive(Clone)]
pub struct HttpRequest(Arc<Exchange>);

impl HttpRequest {
    /// The address of the client, when the server listens by itself. A server that is mounted
    /// into another one finds it in the extensions, where that one puts it.
    #[must_use]
    pub fn peer_addr(&self) -> Option<SocketAddr> {
        self.0.arrival.peer_addr
    }

    /// The principal that the access policy, or a layer in front of the server, has authenticated.
    #[must_use]
    pub fn principal(&self) -> Option<&Principal> {
        self.0.arrival.principal()
    }

    /// Closes the connection on which the client waits for the answer, and asks it to come back
    /// for the rest after `retry` (2025-11-25, "Transports", section "Sending Messages to the
    /// Server"). For handlers that take long. `false` where the client could not come back, because
    /// there is no session; nothing happens then.
    pub fn close_stream(&self, retry: Duration) -> bool {
        self.0.stream.cut(retry)
    }

    fn of(cx: &Context) -> Result<Self, ProtocolError> {
        exchange(cx).map(Self).ok_or_else(|| {
            ProtocolError::new(code::INTERNAL_ERROR, "This is served over HTTP only")
        })
    }
}

/// The HTTP request of the call, unless the call came over another transport.
fn exchange(cx: &Context) -> Option<Arc<Exchange>> {
    let identity: Arc<dyn Any + Send + Sync> = cx.peer().shared_identity()?;
    identity.downcast().ok()
}

impl Deref for HttpRequest {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0.arrival.parts
    }
}

#[diagnostic::do_not_recommend]
impl FromContext for HttpRequest {
    fn from_context(cx: &Context) -> Result<Self, ProtocolError> {
        Self::of(cx)
    }
}

/// The request's line, headers and extensions, without a copy. Only over HTTP and
/// WebSocket; anywhere else the call is answered with an error.
#[diagnostic::do_not_recommend]
impl FromContext for Parts {
    fn from_context(cx: &Context) -> Result<Self, ProtocolError> {
        HttpRequest::of(cx).map(|request| (*request).clone())
    }

    fn lend(cx: &Context) -> Result<Borrowed<Self>, ProtocolError> {
        Ok(Borrowed::shared(HttpRequest::of(cx)?.0))
    }
}

/// The request; `None` for a call that did not come over HTTP or WebSocket.
#[diagnostic::do_not_recommend]
impl OptionalFromContext for HttpRequest {
    fn optional(cx: &Context) -> Result<Option<Borrowed<Self>>, ProtocolError> {
        Ok(exchange(cx).map(|exchange| Borrowed::made(Self(exchange))))
    }
}

/// The parts of the request; `None` for a call that did not come over HTTP or WebSocket.
#[diagnostic::do_not_recommend]
impl OptionalFromContext for Parts {
    fn optional(cx: &Context) -> Result<Option<Borrowed<Self>>, ProtocolError> {
        Ok(exchange(cx).map(|exchange| Borrowed::shared(exchange)))
    }
}
