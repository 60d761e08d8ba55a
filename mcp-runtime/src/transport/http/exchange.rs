//! One HTTP request while it is served.

use std::net::SocketAddr;
use std::sync::Arc;

use http::request::Parts;

use super::principal::Principal;
use super::session::Session;
use super::stream::Stream;
use crate::driver::{Command, Link, Peer};
use crate::error::CallError;

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
    pub(super) session: Option<Arc<Session>>,
    pub(super) stream: Arc<Stream>,
}

impl Exchange {
    /// The client of a session, reached over `stream`.
    pub(super) fn peer(arrival: Arrival, session: &Arc<Session>, stream: Arc<Stream>) -> Peer {
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
    fn send(&self, command: Command) -> Result<(), CallError> {
        match (command, &self.session) {
            (Command::Notify { frame }, _) => {
                if !self.stream.push(frame) {
                    tracing::debug!("a notification that the client has no room for was dropped");
                }
                Ok(())
            }
            (
                Command::Request {
                    id,
                    frame,
                    timeouts,
                    waiter,
                },
                Some(session),
            ) => session.ask(id, frame, timeouts, waiter, &self.stream),
            (Command::Abandon { id }, Some(session)) => {
                session.abandon(id);
                Ok(())
            }
            // Without a session, the client has no way to answer.
            (Command::Request { .. } | Command::Abandon { .. }, None) => Err(CallError::Closed),
            // The connection is none of the handler's business.
            (Command::ShutDown | Command::Abort, _) => Ok(()),
        }
    }

    fn principal(&self) -> Option<&str> {
        self.arrival.principal().map(Principal::name)
    }

    fn next_id(&self) -> i64 {
        self.session.as_ref().map_or(0, |session| session.next_id())
    }
}
