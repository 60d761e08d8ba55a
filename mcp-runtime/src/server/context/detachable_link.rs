//! How a call that may be detached from its request reaches its client, or what it was detached to.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, RwLock};

use mcp_types::{InputRequest, LoggingMessageNotificationParams, RawJson};
use tokio::sync::Notify;

use super::CancellationToken;
use crate::ProtocolError;
use crate::connection::{BoxFuture, Command, Link, Peer, Unsent};
use crate::error::{CallError, RequestError};
use crate::protocol::{ParamHeader, StrictJson};
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

    /// The value that [`Context::once`](crate::server::Context::once) has kept under `key` in an earlier run, as JSON.
    fn kept(&self, key: &str) -> Option<RawJson> {
        let _ = key;
        None
    }

    /// Keeps a value of [`Context::once`](crate::server::Context::once), before the handler gets it.
    ///
    /// Its future fails with what the handler gets instead of the value.
    fn keep(&self, key: &str, value: &RawJson) -> BoxFuture<Result<(), ProtocolError>> {
        let _ = (key, value);
        Box::pin(std::future::ready(Ok(())))
    }
}

/// The way to the client of a call that may be detached.
pub(in crate::server) struct DetachableLink {
    /// The client, until the call is detached.
    client: RwLock<Option<Peer>>,
    call: OnceLock<Arc<dyn DetachedCall>>,
    is_entered: AtomicBool,
    /// Notified when the function is about to be entered.
    entered: Notify,
    /// True if questions are asked before the function is entered.
    asks: AtomicBool,
    /// The token of the call, which may go on when nobody has its context any more.
    pub(super) token: CancellationToken,
}

impl DetachableLink {
    pub(super) fn new(client: Option<Peer>, call: OnceLock<Arc<dyn DetachedCall>>) -> Arc<Self> {
        Arc::new(Self {
            client: RwLock::new(client),
            call,
            is_entered: AtomicBool::new(false),
            entered: Notify::new(),
            asks: AtomicBool::new(false),
            token: CancellationToken::default(),
        })
    }

    fn client(&self) -> Option<Peer> {
        read(&self.client).clone()
    }

    /// Waits until the function is about to be entered. Only one caller can wait.
    pub(super) async fn entered(&self) {
        if !self.is_entered.load(Ordering::Acquire) {
            self.entered.notified().await;
        }
    }

    /// Cuts the way to the client: from now on everything goes to `call`.
    pub(super) fn cut(&self, call: Arc<dyn DetachedCall>) {
        let _ = self.call.set(call);
        *write(&self.client) = None;
    }

    /// What the call was detached to.
    pub(super) fn call(&self) -> Option<&Arc<dyn DetachedCall>> {
        self.call.get()
    }

    /// Notes that questions are asked before the function is entered. Returns true the first time.
    pub(in crate::server) fn begin_asking(&self) -> bool {
        !self.asks.swap(true, Ordering::Relaxed)
    }

    /// Returns true if questions are asked before the function is entered.
    pub(in crate::server) fn is_asking(&self) -> bool {
        self.asks.load(Ordering::Relaxed)
    }

    /// Signals that the function is about to be entered, and yields once so that the waiter can
    /// react.
    pub(in crate::server) async fn enter(&self) {
        self.is_entered.store(true, Ordering::Release);
        self.entered.notify_one();
        tokio::task::yield_now().await;
    }
}

impl Link for DetachableLink {
    fn send(&self, command: Command) -> Result<(), Unsent> {
        let client = self.client().ok_or(Unsent::Closed)?;
        client.link.send(command)
    }

    fn send_later(&self, command: Command) -> BoxFuture<Result<(), CallError>> {
        match self.client() {
            Some(client) => client.link.send_later(command),
            None => Box::pin(std::future::ready(Err(CallError::not_sent(None)))),
        }
    }

    fn next_id(&self) -> i64 {
        self.client().map_or(0, |client| client.link.next_id())
    }

    fn check_headers(
        &self,
        headers: &[ParamHeader],
        arguments: &StrictJson<'_>,
    ) -> Result<(), RequestError> {
        let client = self.client();
        client.map_or(Ok(()), |it| it.link.check_headers(headers, arguments))
    }
}
