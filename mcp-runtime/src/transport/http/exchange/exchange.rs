//! An HTTP request while it is served: the request as it arrives and as handlers see it, the link
//! to its client, and its response.

use std::any::Any;
use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use http::request::Parts;
use http::{Response, StatusCode};
use mcp_types::jsonrpc::{ErrorObject, code};

use super::expiry::Expiry;
use super::header_validation;
use super::stream::Stream;
use crate::connection::{BoxFuture, Command, Link, Peer, Unsent};
use crate::error::{AccessDenied, CallError, ProtocolError, RequestError};
use crate::limits::MAX_STREAM_MESSAGES;
use crate::protocol::{ParamHeader, StrictJson};
use crate::server::{Context, ContextValue, FromContext, OptionalFromContext, Principal};
use crate::sync::lock;
use crate::transport::http::server::body::ResponseBody;
use crate::transport::http::server::response;
use crate::transport::http::server::state::Arrival;
use crate::transport::http::session::HttpSession;

/// An HTTP request while it is served. Handlers use it as the link to the client. It can also be
/// the request that opened a WebSocket.
pub(crate) struct Exchange {
    pub(crate) arrival: Arrival,
    pub(crate) session: Option<Arc<HttpSession>>,
    pub(crate) stream: Arc<Stream>,
    /// Set if the caller does not have the needed scopes, or sends too many requests.
    denied: Mutex<Option<Box<AccessDenied>>>,
}

impl Exchange {
    pub(crate) fn new(
        arrival: Arrival,
        session: Option<Arc<HttpSession>>,
        stream: Arc<Stream>,
    ) -> Self {
        Self {
            arrival,
            session,
            stream,
            denied: Mutex::default(),
        }
    }

    /// Denies the request: if its answer has its own HTTP response, the response has this status
    /// and these headers. A later denial replaces an earlier one.
    pub(crate) fn deny(&self, denied: AccessDenied) {
        *self.denied() = Some(Box::new(denied));
    }

    pub(crate) fn clear_denial_unless(&self, error: Option<&ErrorObject>) {
        let is_outcome =
            |denied: &AccessDenied| error.is_some_and(|it| it.message == denied.text());
        self.denied().take_if(|denied| !is_outcome(denied));
    }

    /// Returns the response to a request whose answer is not part of a batch or a stream.
    pub(crate) fn response(&self, status: StatusCode, message: Vec<u8>) -> Response<ResponseBody> {
        match &*self.denied() {
            Some(denied) => denied.response(message),
            None => response::json(status, message),
        }
    }

    pub(crate) fn is_denied(&self) -> bool {
        self.denied().is_some()
    }

    fn denied(&self) -> MutexGuard<'_, Option<Box<AccessDenied>>> {
        lock(&self.denied)
    }

    /// Returns the sender's access, if it can end. `limit` is the time for a revalidation.
    pub(crate) fn expiry(&self, limit: Duration) -> Option<Expiry> {
        Expiry::of(&self.arrival.parts, &self.stream, limit)
    }

    /// Creates an exchange for opening a WebSocket. Its stream is not used for messages.
    pub(crate) fn upgrade(parts: Parts, peer_addr: Option<SocketAddr>) -> Self {
        let parts = Box::new(parts);
        let stream = Arc::new(Stream::new(0, None));
        Self::new(Arrival { parts, peer_addr }, None, stream)
    }

    pub(crate) fn peer(exchange: &Arc<Self>) -> Peer {
        Peer::over(Arc::clone(exchange) as _).identified(Arc::clone(exchange) as _)
    }
}

impl AsRef<Parts> for Exchange {
    fn as_ref(&self) -> &Parts {
        &self.arrival.parts
    }
}

impl Link for Exchange {
    fn send(&self, command: Command) -> Result<(), Unsent> {
        match (command, &self.session) {
            (command @ Command::Notify { .. }, _) => {
                self.stream.notify(command, MAX_STREAM_MESSAGES)
            }
            (Command::Request { id, frame, waiter }, Some(session)) => {
                session.ask(id, frame, waiter, &self.stream)
            }
            (Command::Abandon { id }, Some(session)) => {
                session.abandon(id);
                Ok(())
            }
            // Without a session, the client can't answer.
            (Command::Request { .. } | Command::Abandon { .. }, None) => Err(Unsent::Closed),
            // A handler can't end a connection.
            (Command::NotReady | Command::ShutDown | Command::Abort, _) => Ok(()),
        }
    }

    fn send_later(&self, command: Command) -> BoxFuture<Result<(), CallError>> {
        self.stream.notify_later(command, MAX_STREAM_MESSAGES)
    }

    fn next_id(&self) -> i64 {
        self.session.as_ref().map_or(0, |session| session.next_id())
    }

    fn check_headers(
        &self,
        headers: &[ParamHeader],
        arguments: &StrictJson<'_>,
    ) -> Result<(), RequestError> {
        match self.session {
            // Only the stateless era repeats arguments in headers.
            Some(_) => Ok(()),
            None => {
                header_validation::check_params(&self.arrival.parts.headers, headers, arguments)
            }
        }
    }
}

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
///     /// Returns the name of the calling program.
///     #[tool]
///     fn agent(&self, request: &HttpRequest) -> String {
///         let agent = request.headers.get("user-agent");
///         agent.and_then(|agent| agent.to_str().ok()).unwrap_or("nobody").to_owned()
///     }
/// }
/// ```
///
/// Over WebSocket this is the request that opened the connection. On any other transport, calls of
/// a handler that takes it are answered with an error. A handler that needs only the parts of the
/// request can take `&http::request::Parts` instead.
#[derive(Clone)]
pub struct HttpRequest(Arc<Exchange>);

impl HttpRequest {
    /// The address of the client, if the server has its own listener. In a mounted server, the
    /// address is in the extensions if the program puts it there.
    #[must_use]
    pub fn peer_addr(&self) -> Option<SocketAddr> {
        self.0.arrival.peer_addr
    }

    /// The principal that the access policy, or a layer in front of the server, has authenticated.
    #[must_use]
    pub fn principal(&self) -> Option<&Principal> {
        self.0.arrival.principal()
    }

    /// Closes the connection on which the client waits for the answer, and asks the client to come
    /// back for the rest after `retry` (2025-11-25, "Transports", section "Sending Messages to the
    /// Server"). Use this in handlers that take long. Returns false, and does nothing, if there is
    /// no session, because then the client could not come back.
    pub fn close_stream(&self, retry: Duration) -> bool {
        self.0.stream.cut(retry)
    }

    fn of(cx: &Context) -> Result<Self, ProtocolError> {
        exchange(cx).map(Self).ok_or_else(|| {
            ProtocolError::new(code::INTERNAL_ERROR, "This is served over HTTP only")
        })
    }
}

/// Returns the HTTP request of a call; `None` if the call came over another transport.
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

/// The request's line, headers and extensions, without a copy. On transports other than HTTP and
/// WebSocket, the call is answered with an error.
#[diagnostic::do_not_recommend]
impl FromContext for Parts {
    fn from_context(cx: &Context) -> Result<Self, ProtocolError> {
        HttpRequest::of(cx).map(|request| (*request).clone())
    }

    fn lend(cx: &Context) -> Result<ContextValue<Self>, ProtocolError> {
        Ok(ContextValue::shared(HttpRequest::of(cx)?.0))
    }
}

/// The request; `None` if the call did not come over HTTP or WebSocket.
#[diagnostic::do_not_recommend]
impl OptionalFromContext for HttpRequest {
    fn optional(cx: &Context) -> Result<Option<ContextValue<Self>>, ProtocolError> {
        Ok(exchange(cx).map(|exchange| ContextValue::made(Self(exchange))))
    }
}

/// The parts of the request; `None` if the call did not come over HTTP or WebSocket.
#[diagnostic::do_not_recommend]
impl OptionalFromContext for Parts {
    fn optional(cx: &Context) -> Result<Option<ContextValue<Self>>, ProtocolError> {
        Ok(exchange(cx).map(|exchange| ContextValue::shared(exchange)))
    }
}
