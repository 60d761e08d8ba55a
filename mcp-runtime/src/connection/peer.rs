//! The handle to the other side of a connection: sends requests and notifications, waits for
//! answers, and knows the identity of the client.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

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

/// A handle to the other side of a connection, to send requests and notifications.
///
/// If the future of a request is dropped before the answer arrives, the request is cancelled at the
/// peer. Cloning is cheap.
#[derive(Clone)]
pub struct Peer {
    pub(crate) link: Arc<dyn Link>,
    /// The outcome of the negotiation, which limits the requests to the peer.
    negotiated: Option<Arc<Negotiated>>,
    identity: Option<Arc<dyn ClientIdentity>>,
}

/// The connection that a [`Peer`] uses.
pub(crate) trait Link: Any + Send + Sync {
    /// Passes on a command immediately.
    ///
    /// # Errors
    ///
    /// When the connection has ended, can't carry such a command, or has no room for it.
    fn send(&self, command: Command) -> Result<(), Unsent>;

    /// Passes on a command as soon as there is room for it.
    ///
    /// The future fails when the connection has ended.
    fn send_later(&self, command: Command) -> BoxFuture<Result<(), CallError>>;

    /// Returns a new id for a request, unique on this connection.
    fn next_id(&self) -> i64;

    /// Checks that the HTTP headers of the current request, if it has any, repeat its arguments.
    ///
    /// # Errors
    ///
    /// When a header is missing, unreadable, or different from the argument.
    fn check_headers(&self, _: &[ParamHeader], _: &StrictJson<'_>) -> Result<(), RequestError> {
        Ok(())
    }
}

pub(crate) enum Unsent {
    /// The connection has ended, or can't carry such a command.
    Closed,
    /// The peer must read earlier messages first.
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

pub(crate) enum Command {
    Request {
        id: i64,
        frame: Vec<u8>,
        waiter: Waiter,
    },
    Notify {
        frame: Vec<u8>,
        /// True if the notification is sent even without room. There is at most one for each call
        /// in flight.
        urgent: bool,
    },
    /// Stop waiting for the answer to a request.
    Abandon {
        id: i64,
    },
    /// Tell load balancers that a shutdown is near.
    NotReady,
    ShutDown,
    Abort,
}

impl Peer {
    pub(crate) fn over(link: Arc<dyn Link>) -> Self {
        Self {
            link,
            negotiated: None,
            identity: None,
        }
    }

    /// Returns the same peer, limited to the requests that `negotiated` allows.
    pub(crate) fn guarded(&self, negotiated: &Arc<Negotiated>) -> Self {
        Self {
            negotiated: Some(Arc::clone(negotiated)),
            ..self.clone()
        }
    }

    /// Sets the identity of the peer, unless it already has one. The first identity wins, because
    /// it was determined closest to the peer.
    #[must_use]
    pub(crate) fn identified(mut self, identity: Arc<dyn ClientIdentity>) -> Self {
        self.identity.get_or_insert(identity);
        self
    }

    /// Returns the same peer, but reached through another link, and with another identity.
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

    /// Sends the request `frame`, which has the id `id`, and waits for its result.
    ///
    /// # Errors
    ///
    /// The peer's error, or the reason why there is no answer; see [`CallError`].
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
    /// The peer's error, or the reason why there is no answer. [`CallError::Unavailable`] if the
    /// peer did not declare the capability, or is a stateless client, to which no requests can be
    /// sent. In these cases, nothing is sent.
    pub async fn call<R: Request>(&self, params: &R::Params) -> Result<R::Result, CallError> {
        let params = RawJson::encode(params);
        if let Some(negotiated) = &self.negotiated {
            negotiated.allow(R::METHOD, &params)?;
        }
        let result = self
            .ask(R::METHOD.into(), Some(&params), Timeouts::default())
            .await?;
        let decoded = result.parse();
        decoded.map_err(|fault| CallError::unfit(R::METHOD, fault))
    }

    /// Sends a request, and waits for its undecoded result.
    pub(crate) fn ask(
        &self,
        method: Cow<'static, str>,
        params: Option<&(impl Serialize + ?Sized)>,
        timeouts: Timeouts,
    ) -> impl Future<Output = Result<RawJson, CallError>> + Send {
        let id = self.link.next_id();
        let mut frame = Vec::new();
        write::request(&mut frame, &id.into(), &method, params);
        self.request(id, frame, SendOptions::new(method, timeouts))
    }

    /// Sends a notification without waiting. Over HTTP, it is sent before the answer to the current
    /// request.
    ///
    /// # Errors
    ///
    /// [`CallError::Full`] if the peer has not read the last 64 KiB (over HTTP also 1,024
    /// messages), in which case the notification is not sent. Another error if the connection has
    /// ended.
    pub fn notify<N: Notification>(&self, params: Option<&N::Params>) -> Result<(), CallError> {
        self.send_frame(notification::<N>(params), false)
    }

    /// Sends a notification without waiting. If `urgent`, it is sent even without room.
    ///
    /// # Errors
    ///
    /// When the connection has ended, or there is no room.
    pub(crate) fn send_frame(&self, frame: Vec<u8>, urgent: bool) -> Result<(), CallError> {
        Ok(self.link.send(Command::Notify { frame, urgent })?)
    }

    /// Sends a notification as soon as the peer has read enough of the earlier messages.
    ///
    /// # Errors
    ///
    /// When the connection has ended.
    pub async fn notify_when_ready<N: Notification>(
        &self,
        params: Option<&N::Params>,
    ) -> Result<(), CallError> {
        self.send_when_ready(notification::<N>(params)).await
    }

    /// Sends a frame made by [`notification`] as soon as the peer has read enough.
    ///
    /// # Errors
    ///
    /// When the connection has ended.
    pub(crate) async fn send_when_ready(&self, frame: Vec<u8>) -> Result<(), CallError> {
        let urgent = false;
        match self.link.send(Command::Notify { frame, urgent }) {
            Err(Unsent::Full(command)) => self.link.send_later(*command).await,
            sent => Ok(sent?),
        }
    }

    /// Sends a notification immediately, even if there is no room for it.
    ///
    /// # Errors
    ///
    /// When the connection has ended.
    pub(crate) fn notify_urgently<N: Notification>(
        &self,
        params: &N::Params,
    ) -> Result<(), CallError> {
        self.send_frame(notification::<N>(Some(params)), true)
    }

    pub(crate) fn not_ready(&self) {
        let _ = self.link.send(Command::NotReady);
    }

    pub(crate) fn shut_down(&self) {
        // This fails only if the driver is gone, and then the connection is already closed.
        let _ = self.link.send(Command::ShutDown);
    }

    pub(crate) fn abort(&self) {
        let _ = self.link.send(Command::Abort);
    }
}

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

/// Cancels a request at the peer when it is dropped.
struct AbandonOnDrop<'a> {
    peer: &'a Peer,
    id: i64,
    answer: &'a mut oneshot::Receiver<Result<RawJson, CallError>>,
    late: Option<&'a OnLate>,
}

impl Drop for AbandonOnDrop<'_> {
    fn drop(&mut self) {
        self.answer.close();
        // The result may have arrived just before.
        if let (Ok(Ok(result)), Some(late)) = (self.answer.try_recv(), self.late) {
            return late(result);
        }
        let _ = self.peer.link.send(Command::Abandon { id: self.id });
    }
}

pub(crate) struct PendingCall<D> {
    pub(crate) waiter: Waiter,
    pub(crate) to: D,
    /// How many bytes precede the request on this connection; 0 if they are not counted.
    pub(crate) offset: u64,
}

pub(crate) type Addressed<D> = (D, Vec<u8>);

pub(crate) struct Waiter {
    pub(super) options: SendOptions,
    pub(super) answer: oneshot::Sender<Result<RawJson, CallError>>,
}

pub(crate) struct SendOptions {
    pub(crate) method: Cow<'static, str>,
    pub(crate) timeouts: Timeouts,
    /// True if the peer is notified when the caller stops waiting. Some requests can't be
    /// cancelled, and some peers can't be notified yet.
    pub(crate) cancellable: bool,
    /// True if the peer may ask something before it answers.
    pub(crate) takes_input: bool,
    pub(crate) progress: Option<OnProgress>,
    /// Tells the caller whether the transport suspends the time limits.
    pub(crate) suspended: Option<watch::Sender<bool>>,
    pub(crate) late: Option<OnLate>,
}

impl SendOptions {
    /// The options for a request that can be cancelled, and is answered without questions.
    pub(crate) fn new(method: impl Into<Cow<'static, str>>, timeouts: Timeouts) -> Self {
        Self {
            method: method.into(),
            timeouts,
            cancellable: true,
            takes_input: false,
            progress: None,
            suspended: None,
            late: None,
        }
    }
}

pub(crate) type OnProgress = Arc<dyn Fn(ProgressNotificationParams) + Send + Sync>;

/// Called with the result of a request for which the caller no longer waits.
pub(crate) type OnLate = Arc<dyn Fn(RawJson) + Send + Sync>;

impl Waiter {
    pub(crate) fn finish(self, outcome: Result<RawJson, CallError>) {
        // Sending fails if the caller has stopped waiting in the meantime.
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
    /// Fails the call `id` with `error`. Returns the notification that cancels it at the peer,
    /// unless it can't be cancelled.
    pub(super) fn give_up(self, id: i64, reason: &str, error: CallError) -> Option<Addressed<D>> {
        let cancellation = self.cancellation(id, reason);
        self.waiter.finish(Err(error));
        Some((self.to, cancellation?))
    }

    /// Returns the notification that cancels the call `id` at the peer, unless it can't be
    /// cancelled.
    pub(super) fn cancellation(&self, id: i64, reason: &str) -> Option<Vec<u8>> {
        let params = CancelledNotificationParams::new()
            .with_request_id(id)
            .with_reason(reason);
        let cancellable = self.waiter.options.cancellable;
        cancellable.then(|| notification::<CancelledNotification>(Some(&params)))
    }
}

/// Returns the current time of tokio's clock, which tests can pause.
pub(crate) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// The identity of the client that sent a request, as far as the transport knows it.
///
/// Over HTTP, this is the HTTP request, and over WebSocket, the request that opened the connection.
/// On other streams, it is the values that the program has set.
pub(crate) trait ClientIdentity: Any + Send + Sync {
    /// Returns the values that identify the client, at most one of each type.
    fn extensions(&self) -> &Extensions;

    /// Returns the part of the identity that outlives the request.
    fn lasting(self: Arc<Self>) -> Arc<dyn ClientIdentity>;

    /// Returns the address of a client that has neither a connection nor a session.
    fn address(&self) -> Option<SocketAddr> {
        None
    }

    /// Checks that the client has all `needed` scopes. Without HTTP there are no tokens, so nothing
    /// is checked.
    ///
    /// # Errors
    ///
    /// When the client lacks a scope. A separate HTTP request is answered with the response that
    /// the access policy chose.
    fn check_scopes(&self, _needed: &[&str]) -> Result<(), RequestError> {
        Ok(())
    }

    fn has_scopes(&self, _needed: &[&str]) -> bool {
        true
    }

    /// Records that the request was refused with `error`. If the error is only for a time, an HTTP
    /// response for this request alone then has the status 429 or 503.
    fn refuse(&self, _error: &RequestError) {}

    /// Clears the recorded denial unless the request really ended with `error`.
    fn settle_denied(&self, _error: Option<&ErrorObject>) {}
}

impl ClientIdentity for Extensions {
    fn extensions(&self) -> &Extensions {
        self
    }

    fn lasting(self: Arc<Self>) -> Arc<dyn ClientIdentity> {
        self
    }
}
