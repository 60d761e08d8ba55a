//! The handle to the other side of a connection.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_types::jsonrpc::write;
use mcp_types::{ErrorObject, Notification, ProgressNotificationParams, RawJson, Request, methods};
use serde::Serialize;
use tokio::sync::oneshot;

use super::link::{Link, Unsent};
use super::queue::{Commands, queue};
use crate::error::CallError;
use crate::error::{RequestError, Unavailable};
use crate::protocol::{ParamHeader, StrictJson, Timeouts};

/// The other side of a connection: sends it requests and notifications.
///
/// Cloning is cheap. A request whose future is dropped before its answer came is cancelled at the
/// peer.
#[derive(Clone)]
pub struct Peer {
    pub(super) link: Arc<dyn Link>,
    /// What the peer may be asked, where that is agreed on.
    pub(crate) guard: Option<Arc<dyn Guard>>,
}

/// Knows what a peer may be asked.
pub(crate) trait Guard: Send + Sync {
    /// Whether the request may be sent.
    ///
    /// # Errors
    ///
    /// Why it must not be.
    fn check(&self, method: &'static str, params: &RawJson) -> Result<(), Unavailable>;
}

/// What the driver is asked to do.
#[derive(Debug)]
pub(crate) enum Command {
    /// Send a request, and tell `waiter` what comes of it.
    Request {
        id: i64,
        frame: Vec<u8>,
        timeouts: Timeouts,
        waiter: Waiter,
    },
    /// Send a notification.
    Notify {
        frame: Vec<u8>,
        /// Whether it is sent although there is no room for it, of which there is little: at most
        /// one for each call in flight.
        urgent: bool,
    },
    /// Nobody waits for this request any more.
    Abandon { id: i64 },
    /// End the connection in good order.
    ShutDown,
    /// End the connection now.
    Abort,
}

/// Where the answer to a request goes.
pub(crate) struct Waiter {
    method: &'static str,
    cancellable: bool,
    takes_input: bool,
    progress: Option<OnProgress>,
    answer: oneshot::Sender<Result<RawJson, CallError>>,
}

/// The connection is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Closed;

impl From<Closed> for CallError {
    fn from(_: Closed) -> Self {
        Self::Closed
    }
}

/// What is done with each progress notification of a request.
pub(crate) type OnProgress = Arc<dyn Fn(ProgressNotificationParams) + Send + Sync>;

/// How a request is sent, apart from what it says.
pub(crate) struct Sending {
    pub(crate) method: &'static str,
    pub(crate) timeouts: Timeouts,
    /// Whether the peer is told when nobody waits for the answer any more: some requests can't be
    /// cancelled, and a peer might not bear to hear of it yet.
    pub(crate) cancellable: bool,
    /// Whether the peer may ask something before it answers.
    pub(crate) takes_input: bool,
    pub(crate) progress: Option<OnProgress>,
}

impl Peer {
    pub(crate) fn channel() -> (Self, Commands) {
        let (queue, commands) = queue();
        (Self::over(Arc::new(queue)), commands)
    }

    /// The peer that `link` leads to.
    pub(crate) fn over(link: Arc<dyn Link>) -> Self {
        Self { link, guard: None }
    }

    /// What the transport knows of the way to this peer, if it is a `T`.
    #[must_use]
    pub fn transport<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        let link: Arc<dyn Any + Send + Sync> = Arc::clone(&self.link) as _;
        link.downcast().ok()
    }

    /// An id for a request, never used before on this connection.
    pub(crate) fn next_id(&self) -> i64 {
        self.link.next_id()
    }

    /// Sends the request that is written in `frame` under the id `id`, and waits for its result.
    ///
    /// # Errors
    ///
    /// The peer's error, or why there is no answer; see [`CallError`].
    pub(crate) async fn request(
        &self,
        id: i64,
        frame: Vec<u8>,
        sending: Sending,
    ) -> Result<RawJson, CallError> {
        let (answer, waiting) = oneshot::channel();
        let waiter = Waiter {
            method: sending.method,
            cancellable: sending.cancellable,
            takes_input: sending.takes_input,
            progress: sending.progress,
            answer,
        };
        let timeouts = sending.timeouts;
        let command = Command::Request {
            id,
            frame,
            timeouts,
            waiter,
        };
        if let Err(unsent) = self.link.send(command) {
            self.wait_for_room(unsent, timeouts).await?;
        }
        let abandoned = AbandonOnDrop {
            peer: self,
            id,
            armed: true,
        };
        let answer = waiting
            .await
            .unwrap_or_else(|_| Err(CallError::not_sent(None)));
        abandoned.disarm();
        answer
    }

    /// Sends a request and waits for its result, as long as [`Timeouts::default`] allows.
    ///
    /// # Errors
    ///
    /// The peer's error, or why there is no answer. [`CallError::Unavailable`] for what the peer did
    /// not declare that it can do, and for all requests to stateless clients: nothing is sent then.
    pub async fn call<R: Request>(&self, params: &R::Params) -> Result<R::Result, CallError> {
        let params = RawJson::encode(params);
        if let Some(guard) = &self.guard {
            guard.check(R::METHOD, &params)?;
        }
        let result = self.ask(R::METHOD, &params, Timeouts::default()).await?;
        result.parse().map_err(|fault| CallError::Result {
            method: R::METHOD.to_owned(),
            reason: fault.to_string(),
        })
    }

    /// Sends a request and waits for its result, as it came.
    pub(crate) fn ask(
        &self,
        method: &'static str,
        params: &(impl Serialize + ?Sized),
        timeouts: Timeouts,
    ) -> impl Future<Output = Result<RawJson, CallError>> + Send {
        let id = self.next_id();
        let mut frame = Vec::new();
        write::request(&mut frame, &id.into(), method, Some(params));
        let sending = Sending {
            method,
            timeouts,
            cancellable: true,
            takes_input: false,
            progress: None,
        };
        self.request(id, frame, sending)
    }

    /// Who this is, by a name that an authenticating layer has vouched for.
    pub(crate) fn principal(&self) -> Option<&str> {
        self.link.principal()
    }

    /// Checks that the headers of the request at hand, if it came with some, repeat its arguments.
    ///
    /// # Errors
    ///
    /// With the header that is missing, unreadable, or different from the argument.
    pub(crate) fn check_headers(
        &self,
        headers: &[ParamHeader],
        arguments: &StrictJson<'_>,
    ) -> Result<(), RequestError> {
        self.link.check_headers(headers, arguments)
    }

    /// Sends a request that found no room, for which no more time is waited than for its answer.
    async fn wait_for_room(&self, unsent: Unsent, timeouts: Timeouts) -> Result<(), CallError> {
        let Unsent::Full(command) = unsent else {
            return Err(unsent.into());
        };
        let waited = timeouts.shortest();
        let sent = tokio::time::timeout(waited, self.link.send_later(command)).await;
        let sent = sent.map_err(|_| CallError::Full)?;
        sent.map_err(|Closed| CallError::not_sent(None))
    }

    /// Sends a notification at once. Over HTTP it goes before the answer to the request at hand.
    ///
    /// # Errors
    ///
    /// [`CallError::Full`] when 64 KiB (over HTTP also 1,024 messages) wait to be read by the peer, so
    /// that this one is not sent. Otherwise when the connection is over.
    pub fn notify<N: Notification>(&self, params: Option<&N::Params>) -> Result<(), CallError> {
        let frame = notification::<N>(params);
        let urgent = false;
        Ok(self.link.send(Command::Notify { frame, urgent })?)
    }

    /// Sends a notification, once the peer has read enough of what was sent to it before.
    ///
    /// # Errors
    ///
    /// When the connection is over.
    pub async fn notify_when_ready<N: Notification>(
        &self,
        params: Option<&N::Params>,
    ) -> Result<(), CallError> {
        self.send_when_ready(notification::<N>(params)).await
    }

    /// Sends what [`notification`] has written, once the peer has read enough.
    ///
    /// # Errors
    ///
    /// When the connection is over.
    pub(crate) async fn send_when_ready(&self, frame: Vec<u8>) -> Result<(), CallError> {
        let urgent = false;
        match self.link.send(Command::Notify { frame, urgent }) {
            Err(Unsent::Full(command)) => Ok(self.link.send_later(command).await?),
            sent => Ok(sent?),
        }
    }

    /// Sends a notification at once, whether or not there is room for it.
    ///
    /// # Errors
    ///
    /// When the connection is over.
    pub(crate) fn notify_urgently<N: Notification>(
        &self,
        params: &N::Params,
    ) -> Result<(), CallError> {
        let frame = notification::<N>(Some(params));
        let urgent = true;
        Ok(self.link.send(Command::Notify { frame, urgent })?)
    }

    /// Asks the driver to end the connection in good order.
    pub(crate) fn shut_down(&self) {
        // When the driver is gone, the connection is over, which is what was asked for.
        let _ = self.link.send(Command::ShutDown);
    }

    /// Asks the driver to end the connection now.
    pub(crate) fn abort(&self) {
        let _ = self.link.send(Command::Abort);
    }
}

fn timed_out(method: &str, waited: Duration) -> CallError {
    CallError::Timeout {
        method: method.to_owned(),
        waited,
    }
}

/// A notification as it is sent.
pub(crate) fn notification<N: Notification>(params: Option<&N::Params>) -> Vec<u8> {
    let mut frame = Vec::new();
    write::notification(&mut frame, N::METHOD, params);
    frame
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peer").finish_non_exhaustive()
    }
}

impl Waiter {
    /// Whether the peer is to be told that nobody waits any more.
    pub(crate) fn is_cancellable(&self) -> bool {
        self.cancellable
    }

    /// Whether the peer may ask something before it answers.
    pub(crate) fn takes_input(&self) -> bool {
        self.takes_input
    }

    /// Whether the peer may end the request without an answer: a subscription lasts until one side
    /// takes it back (2026-07-28, "Cancellation").
    pub(crate) fn is_open_end(&self) -> bool {
        self.method == methods::SUBSCRIPTIONS_LISTEN
    }

    /// Passes on what the peer reports of the request.
    pub(crate) fn progress(&self, progress: ProgressNotificationParams) {
        if let Some(on_progress) = &self.progress {
            on_progress(progress);
        }
    }

    /// Tells whoever waits that time has run out.
    pub(crate) fn time_out(self, waited: Duration) {
        let error = timed_out(self.method, waited);
        self.finish(Err(error));
    }

    /// Fails the request, because the response to it can't be used.
    pub(crate) fn malformed(self, reason: String) {
        let method = self.method.to_owned();
        self.finish(Err(CallError::Malformed { method, reason }));
    }

    /// Tells whoever waits what the peer answered.
    pub(crate) fn settle(self, outcome: Result<RawJson, ErrorObject>) {
        self.finish(outcome.map_err(CallError::Rpc));
    }

    pub(crate) fn finish(self, outcome: Result<RawJson, CallError>) {
        // Nobody listening means that the caller gave up in the meantime.
        let _ = self.answer.send(outcome);
    }
}

impl fmt::Debug for Waiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Waiter").field(&self.method).finish()
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
            let _ = self.peer.link.send(Command::Abandon { id: self.id });
        }
    }
}
