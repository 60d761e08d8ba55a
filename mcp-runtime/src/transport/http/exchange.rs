//! One HTTP request while it is served, and the links to its client.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use http::StatusCode;
use http::request::Parts;
use mcp_types::jsonrpc::RequestId;

use super::header_validation;
use super::server::access::Principal;
use super::server::permits::Permit;
use super::session::HttpSession;
use super::stream::{NoRoom, Stream};
use crate::connection::{BoxFuture, Command, Handler, Link, Peer, Unsent, response};
use crate::error::{CallError, RequestError};
use crate::limits::{MAX_SESSION_MESSAGES, MAX_STREAM_MESSAGES};
use crate::protocol::{ParamHeader, StrictJson};
use crate::server::Answer;

/// A request without its body.
pub(crate) struct Arrival {
    pub(in crate::transport) parts: Parts,
    /// Absent where another program has accepted the connection.
    pub(in crate::transport) peer_addr: Option<SocketAddr>,
}

impl Arrival {
    pub(super) fn principal(&self) -> Option<&Principal> {
        self.parts.extensions.get()
    }
}

impl AsRef<Parts> for Arrival {
    fn as_ref(&self) -> &Parts {
        &self.parts
    }
}

/// One HTTP request while it is served, and the way back to the client. To a handler, it is the
/// client.
pub(super) struct Exchange {
    pub(super) arrival: Arrival,
    pub(super) session: Option<Arc<HttpSession>>,
    pub(super) stream: Arc<Stream>,
}

impl Exchange {
    /// The client, reached over the exchange.
    pub(super) fn peer(exchange: &Arc<Self>) -> Peer {
        Peer::over(Arc::clone(exchange) as _).identified(Arc::clone(exchange) as _)
    }
}

impl AsRef<Parts> for Exchange {
    fn as_ref(&self) -> &Parts {
        self.arrival.as_ref()
    }
}

impl Link for Exchange {
    fn send(&self, command: Command) -> Result<(), Unsent> {
        match (command, &self.session) {
            (Command::Notify { frame, urgent }, _) => {
                notify(&self.stream, frame, urgent, MAX_STREAM_MESSAGES)
            }
            (Command::Request { id, frame, waiter }, Some(session)) => {
                session.ask(id, frame, waiter, &self.stream)
            }
            (Command::Abandon { id }, Some(session)) => {
                session.abandon(id);
                Ok(())
            }
            // Without a session, the client has no way to answer.
            (Command::Request { .. } | Command::Abandon { .. }, None) => Err(Unsent::Closed),
            // A handler can't end a connection.
            (Command::ShutDown | Command::Abort, _) => Ok(()),
        }
    }

    fn send_later(&self, command: Command) -> BoxFuture<Result<(), CallError>> {
        notify_later(&self.stream, command, MAX_STREAM_MESSAGES)
    }

    fn next_id(&self) -> i64 {
        self.session.as_ref().map_or(0, |session| session.next_id())
    }

    fn principal(&self) -> Option<&str> {
        self.arrival.principal().map(Principal::name)
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

/// The way to a client of a session for messages that belong to none of its requests: the stream
/// that it reads with GET. Only notifications are sent there. It does not keep the session open.
pub(super) struct StandaloneLink(pub(super) Arc<Stream>);

impl Link for StandaloneLink {
    fn send(&self, command: Command) -> Result<(), Unsent> {
        match command {
            Command::Notify { frame, urgent } => {
                notify(&self.0, frame, urgent, MAX_SESSION_MESSAGES)
            }
            _ => Err(Unsent::Closed),
        }
    }

    fn send_later(&self, command: Command) -> BoxFuture<Result<(), CallError>> {
        notify_later(&self.0, command, MAX_SESSION_MESSAGES)
    }

    fn next_id(&self) -> i64 {
        0
    }
}

/// Sends a notification on `stream`, unless `most` messages wait there and it is not urgent.
fn notify(stream: &Stream, frame: Vec<u8>, urgent: bool, most: usize) -> Result<(), Unsent> {
    if urgent {
        return stream.push(frame).then_some(()).ok_or(Unsent::Closed);
    }
    stream.offer(frame, most).map_err(|no_room| match no_room {
        NoRoom::Ended => Unsent::Closed,
        NoRoom::Full(frame) => Unsent::Full(Command::Notify { frame, urgent }),
    })
}

fn notify_later(
    stream: &Arc<Stream>,
    command: Command,
    most: usize,
) -> BoxFuture<Result<(), CallError>> {
    let stream = Arc::clone(stream);
    Box::pin(async move {
        let Command::Notify { frame, .. } = command else {
            return Err(CallError::Closed);
        };
        let sent = stream.push_later(frame, most).await;
        sent.then_some(()).ok_or(CallError::Closed)
    })
}

/// The handler of a stateless request, which has to wait. Dropping it cancels the call.
pub(super) struct Work {
    pub(super) id: RequestId,
    pub(super) handler: Handler<Answer>,
    /// A place among the calls of a principal.
    pub(super) _permit: Permit,
}

impl Future for Work {
    type Output = (StatusCode, Vec<u8>);

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let outcome = ready!(Pin::new(&mut self.handler).poll(cx));
        let status = super::server::response::stateless(outcome.as_ref().err(), true);
        Poll::Ready((status, response(&self.id, &outcome)))
    }
}
