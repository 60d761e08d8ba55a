//! Calls that go on after their request was answered.

use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, RwLock};

use mcp_types::{InputRequest, LoggingMessageNotificationParams, RawJson};
use tokio::sync::Notify;

use super::{CancellationToken, Context, EndOfCall};
use crate::ProtocolError;
use crate::connection::{BoxFuture, Command, Link, Peer, Unsent};
use crate::error::{CallError, RequestError};
use crate::protocol::{ParamHeader, StrictJson};
use crate::server::input::{InputState, KeptInputs};
use crate::sync::{read, write};

/// What an extension does for a call that goes on after its request was answered: the questions,
/// progress and log messages of its handler come here.
///
/// See [`McpRequest::detachable`](crate::layer::McpRequest::detachable).
pub trait DetachedCall: Send + Sync + 'static {
    /// Asks the client. `key` is the handler's name for the question, or a hash of it. The time limit
    /// of the tool stands still meanwhile.
    ///
    /// Its future fails with what the handler gets instead of an answer.
    fn ask(&self, key: String, request: InputRequest) -> BoxFuture<Result<RawJson, ProtocolError>>;

    /// Takes a report of progress: the amount that is done, the total if it is known, and the present
    /// step or `""`.
    fn progress(&self, done: f64, total: Option<f64>, message: &str) {
        let _ = (done, total, message);
    }

    /// Takes a log message of any level, for the client. By default it is logged at `debug`.
    fn log(&self, message: LoggingMessageNotificationParams) {
        let level = message.level.as_str();
        let data = message.data.get();
        tracing::debug!(level, data, "a log message of a call that was answered");
    }

    /// The value that [`Context::once`] has kept under `key` in an earlier run, as JSON.
    fn kept(&self, key: &str) -> Option<RawJson> {
        let _ = key;
        None
    }

    /// Keeps a value of [`Context::once`], before the handler gets it.
    ///
    /// Its future fails with what the handler gets instead of the value.
    fn keep(&self, key: &str, value: &RawJson) -> BoxFuture<Result<(), ProtocolError>> {
        let _ = (key, value);
        Box::pin(std::future::ready(Ok(())))
    }
}

/// The other end of a call's context, which can be detached from the request; made by
/// [`McpRequest::detachable`](crate::layer::McpRequest::detachable).
///
/// Kept until the call is detached or answered: dropped before, it cancels the call's
/// [token](Context::cancellation).
pub struct Detachable {
    end: EndOfCall,
    switch: Arc<Switch>,
}

impl Detachable {
    /// Waits until the function is about to be entered: its arguments fit, and the questions that are
    /// parameters are answered. A call that fails before, or whose function returns without waiting,
    /// never gets there. The function has done nothing yet if this is polled with the future of the
    /// call, as `tokio::select!` does.
    pub async fn entered(&mut self) {
        if !self.switch.is_entered.load(Ordering::Acquire) {
            // Nobody else waits for it.
            self.switch.entered.notified().await;
        }
    }

    /// What the call has got from its client so far: what a [`DetachedCall`] needs to
    /// [repeat](crate::Server::call_detached) it.
    #[must_use]
    pub fn inputs(&self) -> KeptInputs {
        let input = self.end.context().input();
        input.map(InputState::kept).unwrap_or_default()
    }

    /// Detaches the call: from now on its handler's questions, progress and log messages go to `call`,
    /// and the end of the request does not touch it. What it has asked before, and is not answered, is
    /// asked again.
    ///
    /// The context keeps revision, capabilities, principal, identity and values.
    pub fn detach(self, call: Arc<dyn DetachedCall>) -> Detached {
        self.end.context().finish_progress();
        let _ = self.switch.call.set(call);
        *write(&self.switch.peer) = None;
        Detached(Arc::clone(&self.switch.token))
    }
}

/// A call that was [detached](Detachable::detach). Dropped, it cancels the
/// [token](Context::cancellation) of the call; its handler is dropped by whoever polls it.
#[must_use = "dropping it cancels the call's token"]
pub struct Detached(Token);

/// The token of a call, once it was asked for.
type Token = Arc<OnceLock<CancellationToken>>;

impl Detached {
    /// A call that has had no client from the start, and the way to none.
    pub(in crate::server) fn from_the_start(call: Arc<dyn DetachedCall>) -> (Self, Peer) {
        let switch = Arc::new(Switch {
            call: OnceLock::from(call),
            ..Switch::default()
        });
        let detached = Self(Arc::clone(&switch.token));
        (detached, Peer::over(switch))
    }
}

impl Drop for Detached {
    fn drop(&mut self) {
        if let Some(token) = self.0.get() {
            token.cancel();
        }
    }
}

impl fmt::Debug for Detached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Detached").finish_non_exhaustive()
    }
}

impl fmt::Debug for Detachable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Detachable").finish_non_exhaustive()
    }
}

/// The way to the client of a call that may be detached.
#[derive(Default)]
pub(in crate::server) struct Switch {
    /// The client, until the call is detached.
    peer: RwLock<Option<Peer>>,
    call: OnceLock<Arc<dyn DetachedCall>>,
    is_entered: AtomicBool,
    /// Notified when the function is about to be entered.
    entered: Notify,
    /// True if questions are asked before the function is entered.
    asks: OnceLock<()>,
    /// Here, as the call may go on when nobody has its context any more.
    token: Token,
}

impl Switch {
    fn peer(&self) -> Option<Peer> {
        let peer = read(&self.peer);
        peer.clone()
    }
}

impl Link for Switch {
    fn send(&self, command: Command) -> Result<(), Unsent> {
        let peer = self.peer().ok_or(Unsent::Closed)?;
        peer.link.send(command)
    }

    fn send_later(&self, command: Command) -> BoxFuture<Result<(), CallError>> {
        match self.peer() {
            Some(peer) => peer.link.send_later(command),
            None => Box::pin(std::future::ready(Err(CallError::not_sent(None)))),
        }
    }

    fn next_id(&self) -> i64 {
        self.peer().map_or(0, |peer| peer.link.next_id())
    }

    fn check_headers(
        &self,
        headers: &[ParamHeader],
        arguments: &StrictJson<'_>,
    ) -> Result<(), RequestError> {
        let peer = self.peer();
        peer.map_or(Ok(()), |peer| peer.link.check_headers(headers, arguments))
    }
}

impl Context {
    /// A context of the same request that may be detached from it. Without `keeps_exchange`, handlers
    /// do not see the HTTP request, which is then released with its response.
    pub(in crate::server) fn detachable(&self, keeps_exchange: bool) -> (Self, Detachable) {
        let switch = Arc::new(Switch {
            peer: RwLock::new(Some(self.peer().clone())),
            ..Switch::default()
        });
        let identity = if keeps_exchange {
            self.peer().any_identity()
        } else {
            self.lasting_identity()
        };
        let link = Arc::clone(&switch) as Arc<dyn Link>;
        let context = self.with_peer(self.peer().rerouted(link, identity));
        let detachable = Detachable {
            end: EndOfCall::of(&context),
            switch,
        };
        (context, detachable)
    }

    /// The way to the client, if the call may be detached.
    fn switch(&self) -> Option<&Switch> {
        let link: &dyn Any = &*self.peer().link;
        link.downcast_ref()
    }

    /// The place of the call's token, if the call may be detached.
    pub(in crate::server) fn detachable_token(&self) -> Option<&OnceLock<CancellationToken>> {
        self.switch().map(|switch| &*switch.token)
    }

    /// What the call was detached to.
    pub(in crate::server) fn detached(&self) -> Option<&Arc<dyn DetachedCall>> {
        self.switch()?.call.get()
    }

    /// Notes that questions are asked before the function is entered. Returns whether that matters.
    pub(in crate::server) fn begin_asking(&self) -> bool {
        let switch = self.switch();
        switch.is_some_and(|switch| switch.asks.set(()).is_ok())
    }

    /// Returns true if the call was detached from its request: nobody waits for its response.
    #[must_use]
    pub fn is_detached(&self) -> bool {
        self.detached().is_some()
    }

    /// Returns true if the call may be detached, or was.
    pub(in crate::server) fn is_detachable(&self) -> bool {
        self.switch().is_some()
    }

    /// Returns true if questions are asked before the function is entered.
    pub(in crate::server) fn is_asking(&self) -> bool {
        self.switch()
            .is_some_and(|switch| switch.asks.get().is_some())
    }

    /// Tells that the function is about to be entered, and gives way once to who waits for that.
    pub(in crate::server) async fn enter(&self) {
        if let Some(switch) = self.switch() {
            switch.is_entered.store(true, Ordering::Release);
            switch.entered.notify_one();
            tokio::task::yield_now().await;
        }
    }
}
