//! The handle to the other side of a connection: requests and notifications that are sent to it, the
//! calls that wait for its answers, and what the transport knows about it.

use std::any::Any;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::Extensions;
use mcp_types::jsonrpc::write;
use mcp_types::{
    CancelledNotification, CancelledNotificationParams, ErrorObject, Notification,
    ProgressNotificationParams, RawJson, RawJsonRef, Request,
};
use serde::Serialize;
use tokio::sync::{oneshot, watch};

use super::BoxFuture;
use crate::error::{CallError, RequestError};
use crate::protocol::{Negotiated, ParamHeader, StrictJson, Timeouts};

/// The other side of a connection: sends it requests and notifications.
///
/// Cloning is cheap. A request whose future is dropped before its answer came is cancelled at the
/// peer.
#[derive(Clone)]
pub struct Peer {
    pub(crate) link: Arc<dyn Link>,
    /// The outcome of the negotiation that limits what the peer may be asked.
    negotiated: Option<Arc<Negotiated>>,
    identity: Option<Arc<dyn ClientIdentity>>,
}

/// A way to a peer.
pub(crate) trait Link: Any + Send + Sync {
    /// Passes on a command at once.
    ///
    /// # Errors
    ///
    /// When the connection is over, can't carry such a thing, or has no room for it.
    fn send(&self, command: Command) -> Result<(), Unsent>;

    /// Passes on a command once there is room for it.
    ///
    /// Its future fails when the connection is over.
    fn send_later(&self, command: Command) -> BoxFuture<Result<(), CallError>>;

    /// An id for a request, never used before on this connection.
    fn next_id(&self) -> i64;

    /// Checks that the headers of the request at hand, if it came with some, repeat its arguments.
    ///
    /// # Errors
    ///
    /// With the header that is missing, unreadable, or different from the argument.
    fn check_headers(&self, _: &[ParamHeader], _: &StrictJson<'_>) -> Result<(), RequestError> {
        Ok(())
    }
}

/// The cause for which a command was not passed on.
pub(crate) enum Unsent {
    /// The connection is over, or can't carry such a thing.
    Closed,
    /// The peer has to read earlier messages first.
    Full(Box<Command>),
}

impl From<Unsent> for CallError {
    fn from(unsent: Unsent) -> Self {
        match unsent {
            Unsent::Closed => Self::not_sent(None),
            Unsent::Full(_) => Self::Full,
        }
    }
}

/// A command to the driver of the connection.
pub(crate) enum Command {
    /// Send a request, whose outcome goes to `waiter`.
    Request {
        id: i64,
        frame: Vec<u8>,
        waiter: Waiter,
    },
    /// Send a notification.
    Notify {
        frame: Vec<u8>,
        /// True if it is sent although there is no room for it; at most one for each call in
        /// flight.
        urgent: bool,
    },
    /// Give up a request.
    Abandon { id: i64 },
    /// End the connection in good order.
    ShutDown,
    /// End the connection now.
    Abort,
}

impl Peer {
    /// The peer that `link` leads to.
    pub(crate) fn over(link: Arc<dyn Link>) -> Self {
        Self {
            link,
            negotiated: None,
            identity: None,
        }
    }

    /// The same peer, which is asked only what `negotiated` allows.
    pub(crate) fn guarded(&self, negotiated: &Arc<Negotiated>) -> Self {
        Self {
            negotiated: Some(Arc::clone(negotiated)),
            ..self.clone()
        }
    }

    /// The same peer with an identity, unless it has one already: what is found out first is found
    /// out closest to the peer.
    #[must_use]
    pub(crate) fn identified(mut self, identity: Arc<dyn ClientIdentity>) -> Self {
        self.identity.get_or_insert(identity);
        self
    }

    /// The same peer by another way, with another identity.
    pub(crate) fn rerouted(
        &self,
        link: Arc<dyn Link>,
        identity: Option<Arc<dyn ClientIdentity>>,
    ) -> Self {
        Self {
            link,
            identity,
            negotiated: self.negotiated.clone(),
        }
    }

    pub(crate) fn identity(&self) -> Option<&dyn ClientIdentity> {
        self.identity.as_deref()
    }

    pub(crate) fn shared_identity(&self) -> Option<Arc<dyn ClientIdentity>> {
        self.identity.clone()
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
        options: SendOptions,
    ) -> Result<RawJson, CallError> {
        let (answer, mut waiting) = oneshot::channel();
        let most = options.timeouts.shortest();
        let late = options.late.clone();
        let waiter = Waiter { options, answer };
        match self.link.send(Command::Request { id, frame, waiter }) {
            Err(Unsent::Full(command)) => {
                let sent = tokio::time::timeout(most, self.link.send_later(*command)).await;
                sent.map_err(|_| CallError::Full)?
                    .map_err(|_| CallError::not_sent(None))?;
            }
            sent => sent?,
        }
        let abandoned = AbandonOnDrop {
            peer: self,
            id,
            answer: &mut waiting,
            late: late.as_ref(),
        };
        let answer = (&mut *abandoned.answer).await;
        std::mem::forget(abandoned);
        answer.unwrap_or_else(|_| Err(CallError::not_sent(None)))
    }

    /// Sends a request and waits for its result, as long as [`Timeouts::default`] allows.
    ///
    /// # Errors
    ///
    /// The peer's error, or why there is no answer. [`CallError::Unavailable`] for what the peer
    /// did not declare that it can do, and for all requests to stateless clients: nothing is sent
    /// then.
    pub async fn call<R: Request>(&self, params: &R::Params) -> Result<R::Result, CallError> {
        let params = RawJson::encode(params);
        if let Some(negotiated) = &self.negotiated {
            negotiated.allow(R::METHOD, &params)?;
        }
        let result = self.ask(R::METHOD, &params, Timeouts::default()).await?;
        let decoded = result.parse();
        decoded.map_err(|fault| CallError::unfit(R::METHOD, fault))
    }

    /// Sends a request and waits for its result, as it came.
    pub(crate) fn ask(
        &self,
        method: &'static str,
        params: &(impl Serialize + ?Sized),
        timeouts: Timeouts,
    ) -> impl Future<Output = Result<RawJson, CallError>> + Send {
        let id = self.link.next_id();
        let mut frame = Vec::new();
        write::request(&mut frame, &id.into(), method, Some(params));
        let options = SendOptions {
            method,
            timeouts,
            cancellable: true,
            takes_input: false,
            progress: None,
            suspended: None,
            late: None,
        };
        self.request(id, frame, options)
    }

    /// Sends a notification at once. Over HTTP it goes before the answer to the request at hand.
    ///
    /// # Errors
    ///
    /// [`CallError::Full`] when 64 KiB (over HTTP also 1,024 messages) wait to be read by the peer,
    /// so that this one is not sent. Otherwise when the connection is over.
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
            Err(Unsent::Full(command)) => self.link.send_later(*command).await,
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
        // Without a driver, the connection is closed already.
        let _ = self.link.send(Command::ShutDown);
    }

    /// Asks the driver to end the connection now.
    pub(crate) fn abort(&self) {
        let _ = self.link.send(Command::Abort);
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

/// Cancels a request at the peer.
struct AbandonOnDrop<'a> {
    peer: &'a Peer,
    id: i64,
    answer: &'a mut oneshot::Receiver<Result<RawJson, CallError>>,
    late: Option<&'a OnLate>,
}

impl Drop for AbandonOnDrop<'_> {
    fn drop(&mut self) {
        self.answer.close();
        // The result may have come just before.
        if let (Ok(Ok(result)), Some(late)) = (self.answer.try_recv(), self.late) {
            return late(result);
        }
        let _ = self.peer.link.send(Command::Abandon { id: self.id });
    }
}

/// A request of this side that was sent.
pub(crate) struct PendingCall<D> {
    pub(crate) waiter: Waiter,
    /// Destination to which it was sent.
    pub(crate) to: D,
    /// Bytes that were to be sent before it since the connection began; 0 where they are not
    /// counted.
    pub(crate) offset: u64,
}

/// A message, and its destination.
pub(crate) type Addressed<D> = (D, Vec<u8>);

/// The caller of a request, which waits for the answer.
pub(crate) struct Waiter {
    pub(super) options: SendOptions,
    pub(super) answer: oneshot::Sender<Result<RawJson, CallError>>,
}

/// Options of a request that this side sends.
pub(crate) struct SendOptions {
    pub(crate) method: &'static str,
    pub(crate) timeouts: Timeouts,
    /// True if the peer is notified when the caller gives up: some requests can't be cancelled, and
    /// some peers can't be notified yet.
    pub(crate) cancellable: bool,
    /// True if the peer may ask something before it answers.
    pub(crate) takes_input: bool,
    pub(crate) progress: Option<OnProgress>,
    /// Learns whether the time limits are suspended by the transport.
    pub(crate) suspended: Option<watch::Sender<bool>>,
    /// Gets a result whose caller is gone.
    pub(crate) late: Option<OnLate>,
}

/// Called with each progress notification of a request.
pub(crate) type OnProgress = Arc<dyn Fn(ProgressNotificationParams) + Send + Sync>;

/// Called with the result of a request whose caller is gone.
pub(crate) type OnLate = Arc<dyn Fn(RawJson) + Send + Sync>;

impl Waiter {
    pub(crate) fn finish(self, outcome: Result<RawJson, CallError>) {
        // Fails when the caller has given up in the meantime.
        if let Err(Ok(result)) = self.answer.send(outcome)
            && let Some(late) = &self.options.late
        {
            late(result);
        }
    }
}

/// The outcome in a response, or the fault that makes the response unusable.
pub(crate) type PeerResponse<'a> = Result<Result<RawJsonRef<'a>, ErrorObject>, String>;

impl<D> PendingCall<D> {
    /// Fails the call `id` with `error`. Gives back the notification that cancels it at the peer,
    /// unless it can't be cancelled.
    pub(super) fn give_up(self, id: i64, reason: &str, error: CallError) -> Option<Addressed<D>> {
        let cancellation = self.cancellation(id, reason);
        self.waiter.finish(Err(error));
        Some((self.to, cancellation?))
    }

    /// The notification that cancels the call `id` at the peer, unless it can't be cancelled.
    pub(super) fn cancellation(&self, id: i64, reason: &str) -> Option<Vec<u8>> {
        let params = CancelledNotificationParams::new()
            .with_request_id(id)
            .with_reason(reason);
        let cancellable = self.waiter.options.cancellable;
        cancellable.then(|| notification::<CancelledNotification>(Some(&params)))
    }
}

/// The time by tokio's clock, which tests can stop.
pub(crate) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// What the transport of a request knows about the client that sent it. Over HTTP it is the HTTP request
/// itself, over WebSocket the one that opened the connection; on any other stream, the values that the
/// program has set.
pub(crate) trait ClientIdentity: Any + Send + Sync {
    /// Values that identify the client, one of each type.
    fn extensions(&self) -> &Extensions;

    /// The part of the identity that outlives the request.
    fn lasting(self: Arc<Self>) -> Arc<dyn ClientIdentity>;

    /// The address of a client that has neither a connection nor a session of its own.
    fn address(&self) -> Option<SocketAddr> {
        None
    }

    /// Checks that the client has all scopes that are `needed`. Without HTTP there are no tokens, so
    /// nothing is checked.
    ///
    /// # Errors
    ///
    /// When the client does not have them. An HTTP request of its own is answered with what the check
    /// returned.
    fn check_scopes(&self, _needed: &[&str]) -> Result<(), RequestError> {
        Ok(())
    }

    /// Returns true if the client has all scopes that are `needed`.
    fn has_scopes(&self, _needed: &[&str]) -> bool {
        true
    }

    /// Answers an HTTP request of its own with 429: it may be repeated after a time. `error` is its
    /// outcome.
    fn deny_until(&self, _time: Duration, _error: &ErrorObject) {}

    /// Clears the recorded denial unless the request really ended with `error`.
    fn settle_denied(&self, _error: Option<&ErrorObject>) {}
}

/// Values that the program has set.
impl ClientIdentity for Extensions {
    fn extensions(&self) -> &Extensions {
        self
    }

    fn lasting(self: Arc<Self>) -> Arc<dyn ClientIdentity> {
        self
    }
}
