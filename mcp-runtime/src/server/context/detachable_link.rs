//! The link through which a call that may be detached reaches its client, or, once it is detached,
//! the extension that took it over.

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

/// An extension's side of a call that goes on after its request was answered.
///
/// It receives the questions, progress and log messages of the call's handler. See
/// [`McpRequest::detachable`](crate::layer::McpRequest::detachable).
pub trait DetachedCall: Send + Sync + 'static {
    /// Asks the client a question.
    ///
    /// `key` is the name that the handler gave the question, or a hash of the question. The time
    /// limit of the tool is paused until the future returned is ready. If the future fails, the
    /// handler gets the error instead of an answer.
    fn ask(&self, key: String, request: InputRequest) -> BoxFuture<Result<RawJson, ProtocolError>>;

    /// Takes a report of progress: the amount done, the total if it is known, and the current step
    /// or `""`.
    fn progress(&self, done: f64, total: Option<f64>, message: &str) {
        let _ = (done, total, message);
    }

    /// Takes a log message for the client, of any level. By default, the server logs it at `debug`.
    fn log(&self, message: LoggingMessageNotificationParams) {
        let level = message.level.as_str();
        let data = message.data.get();
        tracing::debug!(
            level,
            data,
            "log message of a call whose request was already answered"
        );
    }

    /// The value, as JSON, that [`Context::once`](crate::server::Context::once) kept under `key` in
    /// an earlier run.
    fn kept(&self, key: &str) -> Option<RawJson> {
        let _ = key;
        None
    }

    /// Keeps a value of [`Context::once`](crate::server::Context::once) before the handler gets it.
    ///
    /// If the future returned fails, the handler gets the error instead of the value.
    fn keep(&self, key: &str, value: &RawJson) -> BoxFuture<Result<(), ProtocolError>> {
        let _ = (key, value);
        Box::pin(std::future::ready(Ok(())))
    }
}

/// The link to the client of a call that may be detached.
pub(in crate::server) struct DetachableLink {
    /// The client, until the call is detached.
    client: RwLock<Option<Peer>>,
    call: OnceLock<Arc<dyn DetachedCall>>,
    is_entered: AtomicBool,
    /// Notified when the function is about to be entered.
    entered: Notify,
    /// True if questions are asked before the function is entered.
    asks: AtomicBool,
    /// The token of the call. It is here because it can outlive all contexts of the call.
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

    /// Cuts the link to the client: from now on, everything goes to `call`.
    pub(super) fn cut(&self, call: Arc<dyn DetachedCall>) {
        let _ = self.call.set(call);
        *write(&self.client) = None;
    }

    /// The extension's side of the call, once it was detached.
    pub(super) fn call(&self) -> Option<&Arc<dyn DetachedCall>> {
        self.call.get()
    }

    /// Notes that questions are asked before the function is entered. Returns true the first time.
    pub(in crate::server) fn begin_asking(&self) -> bool {
        !self.asks.swap(true, Ordering::Relaxed)
    }

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
