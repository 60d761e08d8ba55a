//! The way to a client for what belongs to none of its requests.

use std::sync::Arc;

use super::HttpSession;
use crate::connection::{BoxFuture, Closed, Command, Link, Peer, Unsent};
use crate::limits::MAX_SESSION_MESSAGES;
use crate::transport::http::stream::{NoRoom, Stream};

/// The stream that the client reads with GET. Only notifications are sent there.
struct Outlet(Arc<Stream>);

impl HttpSession {
    /// The client, for what belongs to none of its requests. It does not keep the session open.
    pub(super) fn outlet(&self) -> Peer {
        Peer::over(Arc::new(Outlet(Arc::clone(self.standalone()))))
    }
}

impl Link for Outlet {
    fn send(&self, command: Command) -> Result<(), Unsent> {
        match command {
            Command::Notify { frame, .. } => self
                .0
                .offer(frame, MAX_SESSION_MESSAGES)
                .map_err(NoRoom::unsent),
            _ => Err(Unsent::Closed),
        }
    }

    fn send_later(&self, command: Command) -> BoxFuture<Result<(), Closed>> {
        let Command::Notify { frame, .. } = command else {
            return Box::pin(std::future::ready(Err(Closed)));
        };
        let stream = Arc::clone(&self.0);
        Box::pin(async move {
            let sent = stream.push_later(frame, MAX_SESSION_MESSAGES).await;
            sent.then_some(()).ok_or(Closed)
        })
    }

    fn next_id(&self) -> i64 {
        0
    }
}
