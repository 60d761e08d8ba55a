//! What a handler may know about the HTTP request that it serves.

use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use http::request::Parts;

use super::exchange::Exchange;
use super::principal::Principal;
use crate::error::ProtocolError;
use crate::server::{Context, FromContext};
use mcp_types::jsonrpc::code;

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
/// A handler that takes it answers with an error on any other transport.
#[derive(Clone)]
pub struct HttpRequest(Arc<Exchange>);

impl HttpRequest {
    /// Where the request came from, when the server listens by itself. A server that is mounted
    /// into another one finds it in the extensions, where that one puts it.
    #[must_use]
    pub fn peer_addr(&self) -> Option<SocketAddr> {
        self.0.peer_addr
    }

    /// Who calls, as far as a layer in front of the server has found out.
    #[must_use]
    pub fn principal(&self) -> Option<&Principal> {
        self.0.principal()
    }

    /// Closes the connection on which the client waits for the answer, and asks it to come back
    /// for the rest after `retry` (2025-11-25, "Transports", section "Sending Messages to the
    /// Server"). For handlers that take long. `false` where the client could not come back, because
    /// there is no session; nothing happens then.
    pub fn close_stream(&self, retry: Duration) -> bool {
        self.0.stream.cut(retry)
    }
}

impl Deref for HttpRequest {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0.parts
    }
}

#[diagnostic::do_not_recommend]
impl FromContext for HttpRequest {
    fn from_context(cx: &Context) -> Result<Self, ProtocolError> {
        let exchange = cx.peer().transport::<Exchange>();
        exchange.map(Self).ok_or_else(|| {
            ProtocolError::new(code::INTERNAL_ERROR, "This is served over HTTP only")
        })
    }
}
