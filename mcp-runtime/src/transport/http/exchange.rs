//! One HTTP request while it is served.

use std::net::SocketAddr;
use std::sync::Arc;

use http::request::Parts;

use super::header_validation;
use super::principal::Principal;
use super::session::HttpSession;
use super::stream::{NoRoom, Stream};
use crate::connection::{BoxFuture, Closed, Command, Link, Peer, Unsent};
use crate::error::RequestError;
use crate::limits::MAX_STREAM_MESSAGES;
use crate::protocol::{ParamHeader, StrictJson};

/// What came: a request without its body.
pub(in crate::transport) struct Arrival {
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

/// One HTTP request while it is served: what came, and the way back to the client. To a handler,
/// it is the client.
pub(super) struct Exchange {
    pub(super) arrival: Arrival,
    pub(super) session: Option<Arc<HttpSession>>,
    pub(super) stream: Arc<Stream>,
}

impl Exchange {
    /// The client of a session, reached over `stream`.
    pub(super) fn peer(arrival: Arrival, session: &Arc<HttpSession>, stream: Arc<Stream>) -> Peer {
        Peer::over(Arc::new(Self {
            arrival,
            session: Some(Arc::clone(session)),
            stream,
        }))
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
            (
                Command::Notify {
                    frame,
                    urgent: true,
                },
                _,
            ) => {
                let sent = self.stream.push(frame);
                sent.then_some(()).ok_or(Unsent::Closed)
            }
            (Command::Notify { frame, .. }, _) => self
                .stream
                .offer(frame, MAX_STREAM_MESSAGES)
                .map_err(NoRoom::unsent),
            (
                Command::Request {
                    id,
                    frame,
                    timeouts,
                    waiter,
                },
                Some(session),
            ) => {
                let asked = session.ask(id, frame, timeouts, waiter, &self.stream);
                asked.map_err(|_| Unsent::Closed)
            }
            (Command::Abandon { id }, Some(session)) => {
                session.abandon(id);
                Ok(())
            }
            // Without a session, the client has no way to answer.
            (Command::Request { .. } | Command::Abandon { .. }, None) => Err(Unsent::Closed),
            // The connection is none of the handler's business.
            (Command::ShutDown | Command::Abort, _) => Ok(()),
        }
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

    fn send_later(&self, command: Command) -> BoxFuture<Result<(), Closed>> {
        let Command::Notify { frame, .. } = command else {
            return Box::pin(std::future::ready(Err(Closed)));
        };
        let stream = Arc::clone(&self.stream);
        Box::pin(async move {
            let sent = stream.push_later(frame, MAX_STREAM_MESSAGES).await;
            sent.then_some(()).ok_or(Closed)
        })
    }

    fn next_id(&self) -> i64 {
        self.session.as_ref().map_or(0, |session| session.next_id())
    }
}

impl NoRoom {
    /// What a notification that was not sent is to who sent it.
    pub(super) fn unsent(self) -> Unsent {
        match self {
            Self::Ended => Unsent::Closed,
            Self::Full(frame) => Unsent::Full(Command::Notify {
                frame,
                urgent: false,
            }),
        }
    }
}
