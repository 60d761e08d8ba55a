//! State that the requests to one server share.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once};

use mcp_types::jsonrpc::ErrorObject;
use tokio::sync::watch;

use super::options::HttpOptions;
use super::permits::Permits;
use super::unread::{Budget, Unread};
use crate::connection::BoxFuture;
use crate::error::{Rejection, RequestError};
use crate::limits::{BODY_SHARES, FOREVER};
use crate::protocol::{LastNegotiated, NamedRevision, ServerLifecycle};
use crate::server::{Answer, Server, Session};
use crate::transport::http::exchange::stream::Stream;
use crate::transport::http::session::{HttpSession, SessionId, Sessions};

/// The connection that a request comes on.
#[derive(Clone)]
pub(crate) struct ConnectionInfo {
    /// Absent where another program has accepted the connection.
    pub(crate) peer_addr: Option<SocketAddr>,
    pub(crate) unread: Arc<Unread>,
    /// The outcome of the last stateless request on it.
    pub(crate) negotiated: Option<Arc<Mutex<LastNegotiated>>>,
}

/// State that all requests to one server share.
pub(crate) struct HttpState {
    pub(crate) server: Server,
    pub(crate) options: HttpOptions,
    pub(crate) sessions: Arc<Sessions>,
    /// Calls that wait for their handlers.
    pub(crate) permits: Arc<Permits>,
    /// Open subscriptions.
    pub(crate) open: Arc<Permits>,
    /// Bytes of request bodies that are being received.
    pub(crate) bodies: Arc<Permits>,
    /// Unread bytes of all clients.
    unread: Arc<Budget>,
    /// The session of all stateless requests, which share nothing but the end of the server.
    pub(crate) stateless: Arc<Session>,
    /// True if no requests are taken: the server ends, or has not started.
    pub(crate) ending: watch::Sender<bool>,
    /// True if calls in flight have no more time.
    pub(crate) terminated: watch::Sender<bool>,
    /// True if no call may begin any more, also of requests that came before the end.
    pub(crate) is_over: AtomicBool,
    /// Locked while the service starts.
    pub(crate) starting: tokio::sync::Mutex<()>,
    pub(crate) has_started: AtomicBool,
    /// Logs that the service was not started.
    unstarted: Once,
}

impl HttpState {
    /// State of a server that takes requests now if it `has_started`.
    pub(crate) fn new(server: Server, options: HttpOptions, has_started: bool) -> Self {
        Self {
            sessions: Arc::new(Sessions::new(
                options.max_sessions,
                options.session_idle,
                Arc::clone(&options.store),
            )),
            permits: Permits::new(options.limits.max_in_flight, options.max_calls),
            open: Permits::new(options.max_subscriptions, options.max_subscriptions),
            bodies: Permits::new(
                (options.max_buffered_body_bytes / BODY_SHARES).max(options.max_body_bytes),
                options.max_buffered_body_bytes.max(options.max_body_bytes),
            ),
            unread: Arc::new(Budget::new(options.max_unread_bytes_total)),
            stateless: server.session(),
            server,
            options,
            ending: watch::Sender::new(!has_started),
            terminated: watch::Sender::new(false),
            is_over: AtomicBool::new(false),
            starting: tokio::sync::Mutex::default(),
            has_started: AtomicBool::new(has_started),
            unstarted: Once::new(),
        }
    }

    /// Returns a session for one request, for a server without sessions.
    pub(crate) fn passing_session(&self, named: NamedRevision) -> Arc<HttpSession> {
        let lifecycle = ServerLifecycle::without_handshake(named, self.server.rules().clone());
        let id = SessionId::new(0);
        let standalone = Stream::new(0, None);
        let role = (&self.server, lifecycle);
        let limits = self.options.limits;
        Arc::new(HttpSession::new(id, None, role, limits, standalone, None))
    }

    pub(crate) fn is_ending(&self) -> bool {
        *self.ending.borrow()
    }

    /// The reason why no requests are taken.
    pub(crate) fn refusal(&self) -> Rejection {
        if self.has_started.load(Ordering::Relaxed) {
            return Rejection::Ending;
        }
        if self.starting.try_lock().is_ok() {
            self.unstarted.call_once(|| {
                crate::log::error!(
                    "requests are refused, since the service was not started: await `start()` of the \
                     `HttpService` before the program serves (this is logged once)"
                );
            });
        }
        Rejection::NotStarted
    }

    /// Waits until no call is in flight, no subscription is open and no WebSocket is connected.
    pub(crate) async fn idle(&self) {
        self.permits.idle().await;
        self.open.idle().await;
        self.ending.closed().await;
    }

    /// Ends `handler` with an error when calls in flight have no more time.
    pub(crate) fn unless_terminated(
        &self,
        handler: BoxFuture<Result<Answer, ErrorObject>>,
    ) -> BoxFuture<Result<Answer, ErrorObject>> {
        let mut terminated = self.terminated.subscribe();
        Box::pin(async move {
            tokio::select! {
                biased;
                outcome = handler => outcome,
                _ = terminated.wait_for(|terminated| *terminated) => {
                    Err(RequestError::ShuttingDown.to_error())
                }
            }
        })
    }

    /// Returns a count of unread bytes with a limit of its own, and the limit for all clients.
    pub(crate) fn unread(&self, limit: usize) -> Arc<Unread> {
        Unread::new(limit, Arc::clone(&self.unread))
    }

    /// Waits until the unread bytes of a client leave room for one more answer.
    ///
    /// # Errors
    ///
    /// When that takes twice as long as a client may leave an answer unread, or the server ends.
    pub(crate) async fn room(&self, unread: &Unread) -> Result<(), Rejection> {
        if self.is_over.load(Ordering::Relaxed) {
            return Err(Rejection::Ending);
        }
        if unread.has_room() {
            return Ok(());
        }
        let mut ending = self.ending.subscribe();
        // Connections that do not read are closed before.
        let at_most = self.options.limits.write.saturating_mul(2).min(FOREVER);
        tokio::select! {
            () = unread.room() => Ok(()),
            () = tokio::time::sleep(at_most) => Err(Rejection::Unread),
            _ = ending.wait_for(|ending| *ending) => Err(Rejection::Ending),
        }
    }
}
