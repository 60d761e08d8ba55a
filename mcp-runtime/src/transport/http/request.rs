//! What a handler may know about the HTTP request that it serves.

use std::any::Any;
use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use http::request::Parts;
use mcp_types::jsonrpc::code;

use super::exchange::{Arrival, Exchange};
use super::server::access::Principal;
use crate::error::ProtocolError;
use crate::server::{Borrowed, Context, FromContext};

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
pub struct HttpRequest(Held);

#[derive(Clone)]
enum Held {
    Exchange(Arc<Exchange>),
    Upgrade(Arc<Arrival>),
}

impl HttpRequest {
    /// Where the request came from, when the server listens by itself. A server that is mounted
    /// into another one finds it in the extensions, where that one puts it.
    #[must_use]
    pub fn peer_addr(&self) -> Option<SocketAddr> {
        self.arrival().peer_addr
    }

    /// Who calls, as far as a layer in front of the server has found out.
    #[must_use]
    pub fn principal(&self) -> Option<&Principal> {
        self.arrival().principal()
    }

    /// Closes the connection on which the client waits for the answer, and asks it to come back
    /// for the rest after `retry` (2025-11-25, "Transports", section "Sending Messages to the
    /// Server"). For handlers that take long. `false` where the client could not come back, because
    /// there is no session; nothing happens then.
    pub fn close_stream(&self, retry: Duration) -> bool {
        match &self.0 {
            Held::Exchange(exchange) => exchange.stream.cut(retry),
            Held::Upgrade(_) => false,
        }
    }

    fn arrival(&self) -> &Arrival {
        match &self.0 {
            Held::Exchange(exchange) => &exchange.arrival,
            Held::Upgrade(arrival) => arrival,
        }
    }

    fn of(cx: &Context) -> Result<Self, ProtocolError> {
        let peer = cx.peer();
        let exchange = peer.shared_identity().map(Held::Exchange);
        let held = exchange.or_else(|| peer.shared_identity().map(Held::Upgrade));
        held.map(Self).ok_or_else(|| {
            ProtocolError::new(code::INTERNAL_ERROR, "This is served over HTTP only")
        })
    }
}

impl Deref for HttpRequest {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.arrival().parts
    }
}

#[diagnostic::do_not_recommend]
impl FromContext for HttpRequest {
    fn from_context(cx: &Context) -> Result<Self, ProtocolError> {
        Self::of(cx)
    }
}

/// The request's line, headers and extensions, which are lent, not copied. Only over HTTP and
/// WebSocket; anywhere else the call is answered with an error.
#[diagnostic::do_not_recommend]
impl FromContext for Parts {
    fn from_context(cx: &Context) -> Result<Self, ProtocolError> {
        HttpRequest::of(cx).map(|request| (*request).clone())
    }

    fn lend(cx: &Context) -> Result<Borrowed<Self>, ProtocolError> {
        Ok(match HttpRequest::of(cx)?.0 {
            Held::Exchange(exchange) => Borrowed::shared(exchange),
            Held::Upgrade(arrival) => Borrowed::shared(arrival),
        })
    }
}

/// Who calls. A call of nobody in particular is answered with an error.
#[diagnostic::do_not_recommend]
impl FromContext for Principal {
    fn from_context(cx: &Context) -> Result<Self, ProtocolError> {
        cx.identity().cloned().ok_or_else(|| {
            ProtocolError::new(code::INVALID_REQUEST, "This needs to know who calls")
        })
    }
}

impl Context {
    /// Who calls, as far as has been found out: whatever a layer in front of an HTTP server has put
    /// into the extensions of the request, or of the request that opened a WebSocket; on any other
    /// stream, what [`Serve::identity`](crate::server::Serve::identity) was given.
    ///
    /// ```
    /// # use mcp_runtime::Context;
    /// #[derive(Clone)]
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
        let peer = self.peer();
        let exchange = peer.identity::<Exchange>();
        let arrival = exchange.map(|exchange| &exchange.arrival);
        match arrival.or_else(|| peer.identity::<Arrival>()) {
            Some(arrival) => arrival.parts.extensions.get(),
            None => peer.identity(),
        }
    }
}
