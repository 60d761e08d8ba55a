//! The handle to the other side of a connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use mcp_types::{ErrorObject, Notification, RawJson, Request};
use serde::Serialize;
use tokio::sync::{mpsc, oneshot};

use crate::error::CallError;
use crate::protocol::Timeouts;

/// The other side of a connection: sends it requests and notifications.
///
/// Cloning is cheap. A request whose future is dropped before its answer came is cancelled at the
/// peer.
#[derive(Clone, Debug)]
pub struct Peer {
    commands: mpsc::UnboundedSender<Command>,
    last_id: Arc<AtomicI64>,
}

/// What the driver is asked to do.
#[derive(Debug)]
pub(crate) enum Command {
    /// Send a request, and tell `waiter` what comes of it.
    Request {
        id: i64,
        method: &'static str,
        params: Option<RawJson>,
        timeouts: Timeouts,
        waiter: Waiter,
    },
    /// Send a notification.
    Notify {
        method: &'static str,
        params: Option<RawJson>,
    },
    /// Nobody waits for this request any more.
    Abandon { id: i64 },
    /// End the connection in good order.
    ShutDown,
    /// End the connection now.
    Abort,
}

/// Where the answer to a request goes.
#[derive(Debug)]
pub(crate) struct Waiter {
    pub(crate) method: &'static str,
    pub(crate) answer: oneshot::Sender<Result<RawJson, CallError>>,
}

impl Peer {
    pub(crate) fn channel() -> (Self, mpsc::UnboundedReceiver<Command>) {
        let (commands, receiver) = mpsc::unbounded_channel();
        let last_id = Arc::default();
        (Self { commands, last_id }, receiver)
    }

    /// Sends a request and waits for its result.
    ///
    /// # Errors
    ///
    /// The peer's error, or why there is no answer; see [`CallError`].
    pub(crate) async fn request<R: Request>(
        &self,
        params: Option<&R::Params>,
        timeouts: Timeouts,
    ) -> Result<R::Result, CallError>
    where
        R::Params: Serialize,
        R::Result: for<'de> serde::Deserialize<'de>,
    {
        let params = params.map(RawJson::new).transpose();
        let params = params.map_err(CallError::Params)?;
        let result = self.request_raw(R::METHOD, params, timeouts).await?;
        result.parse().map_err(|fault| CallError::Result {
            method: R::METHOD.to_owned(),
            reason: fault.to_string(),
        })
    }

    /// Sends a request whose parameters and result are raw JSON.
    pub(crate) async fn request_raw(
        &self,
        method: &'static str,
        params: Option<RawJson>,
        timeouts: Timeouts,
    ) -> Result<RawJson, CallError> {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let (answer, waiting) = oneshot::channel();
        let waiter = Waiter { method, answer };
        self.send(Command::Request {
            id,
            method,
            params,
            timeouts,
            waiter,
        })?;
        let abandoned = AbandonOnDrop {
            peer: self,
            id,
            armed: true,
        };
        let answer = waiting.await.unwrap_or(Err(CallError::Closed));
        abandoned.disarm();
        answer
    }

    /// Sends a notification.
    ///
    /// # Errors
    ///
    /// When the connection is over, or the parameters can't be serialised.
    pub(crate) fn notify<N: Notification>(
        &self,
        params: Option<&N::Params>,
    ) -> Result<(), CallError>
    where
        N::Params: Serialize,
    {
        let params = params.map(RawJson::new).transpose();
        self.send(Command::Notify {
            method: N::METHOD,
            params: params.map_err(CallError::Params)?,
        })
    }

    /// Asks the driver to end the connection in good order.
    pub(crate) fn shut_down(&self) {
        // When the driver is gone, the connection is over, which is what was asked for.
        let _ = self.commands.send(Command::ShutDown);
    }

    /// Asks the driver to end the connection now.
    pub(crate) fn abort(&self) {
        let _ = self.commands.send(Command::Abort);
    }

    fn send(&self, command: Command) -> Result<(), CallError> {
        self.commands.send(command).map_err(|_| CallError::Closed)
    }
}

impl Waiter {
    /// Tells whoever waits what the peer answered.
    pub(crate) fn settle(self, outcome: Result<RawJson, ErrorObject>) {
        self.finish(outcome.map_err(CallError::Rpc));
    }

    pub(crate) fn finish(self, outcome: Result<RawJson, CallError>) {
        // Nobody listening means that the caller gave up in the meantime.
        let _ = self.answer.send(outcome);
    }
}

/// Cancels a request at the peer unless its answer came.
struct AbandonOnDrop<'a> {
    peer: &'a Peer,
    id: i64,
    armed: bool,
}

impl AbandonOnDrop<'_> {
    fn disarm(mut self) {
        self.armed = false;
    }
}

impl Drop for AbandonOnDrop<'_> {
    fn drop(&mut self) {
        if self.armed {
            let _ = self.peer.send(Command::Abandon { id: self.id });
        }
    }
}
