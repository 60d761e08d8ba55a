//! State that all requests to one server share.

use std::sync::{Arc, Mutex, PoisonError};

use mcp_types::jsonrpc::ErrorObject;
use mcp_types::{RequestMetaRef, Revision};
use tokio::sync::watch;

use super::options::HttpOptions;
use super::permits::Permits;
use super::response::Rejection;
use super::unread::{Budget, Unread};
use crate::connection::BoxFuture;
use crate::error::RequestError;
use crate::limits::FOREVER;
use crate::protocol::{LastNegotiated, Negotiated, ServerLifecycle, admit_stateless};
use crate::server::{Answer, Server, Session};
use crate::transport::http::session::{HttpSession, SessionId, Sessions};
use crate::transport::http::stream::Stream;

/// State that all requests to one server share.
pub(in crate::transport) struct HttpState {
    pub(in crate::transport) server: Server,
    pub(in crate::transport) options: HttpOptions,
    pub(in crate::transport::http) sessions: Arc<Sessions>,
    pub(in crate::transport::http) permits: Arc<Permits>,
    /// The same for subscriptions.
    pub(in crate::transport::http) open: Arc<Permits>,
    /// The same for bytes of request bodies that are received.
    pub(in crate::transport::http) bodies: Arc<Permits>,
    /// Unread bytes of all clients.
    unread: Arc<Budget>,
    /// All that stateless requests have in common is the end of the server.
    pub(in crate::transport::http) stateless: Arc<Session>,
    /// Shared by all clients, most of which say the same each time.
    last_terms: Mutex<LastNegotiated>,
    /// Whether the server ends; received by whatever has to end with it.
    pub(in crate::transport) ending: Arc<watch::Sender<bool>>,
    /// Whether calls in flight have no more time.
    pub(in crate::transport::http) terminated: watch::Sender<bool>,
}

impl HttpState {
    pub(in crate::transport::http) fn new(server: Server, options: HttpOptions) -> Self {
        Self {
            sessions: Arc::new(Sessions::new(
                options.max_sessions,
                options.session_idle,
                Arc::clone(&options.store),
            )),
            permits: Permits::new(options.max_in_flight, options.max_calls),
            open: Permits::new(options.max_subscriptions, options.max_subscriptions),
            bodies: Permits::new(options.body_share(), options.body_budget()),
            unread: Arc::new(Budget::new(options.max_unread_bytes_total)),
            stateless: server.session(),
            last_terms: Mutex::new(LastNegotiated::new(server.requirement())),
            server,
            options,
            ending: Arc::new(watch::Sender::new(false)),
            terminated: watch::Sender::new(false),
        }
    }

    /// A session for one request of a client that has none, because the server keeps none.
    pub(in crate::transport::http) fn passing_session(
        &self,
        revision: Option<Revision>,
    ) -> Arc<HttpSession> {
        let lifecycle = ServerLifecycle::without_handshake(revision, self.server.revisions())
            .knowing(self.server.own_methods().clone());
        let (id, standalone) = (SessionId::new(0), Stream::new(0, None));
        let (role, limits) = ((&self.server, lifecycle), self.options.limits());
        Arc::new(HttpSession::new(id, None, role, limits, standalone, None))
    }

    /// Negotiates by what a stateless request brings.
    ///
    /// # Errors
    ///
    /// When they are incomplete, or do not have the method.
    pub(in crate::transport::http) fn negotiate_stateless(
        &self,
        method: &str,
        meta: &RequestMetaRef<'_>,
    ) -> Result<Arc<Negotiated>, RequestError> {
        let mut last = self
            .last_terms
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let server = &self.server;
        admit_stateless(
            method,
            meta,
            &mut last,
            server.revisions(),
            server.own_methods(),
        )
    }

    /// No new requests from here on; the streams that belong to no request end.
    pub(in crate::transport::http) fn shut_down(&self) {
        self.ending.send_replace(true);
        self.stateless.end();
        for session in self.sessions.all() {
            session.shut_down();
        }
    }

    /// Answers the calls that are left with an error, and ends all sessions.
    pub(in crate::transport::http) fn terminate(&self) {
        self.terminated.send_replace(true);
        for session in self.sessions.all() {
            session.cut();
            self.sessions.end(session.id());
        }
    }

    pub(in crate::transport::http) fn is_ending(&self) -> bool {
        *self.ending.borrow()
    }

    /// Ends `handler` with an error when calls in flight have no more time.
    pub(in crate::transport::http) fn unless_terminated(
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

    /// A count of unread bytes that may come to `limit`, and with those of all clients to the limit
    /// in all.
    pub(in crate::transport::http) fn unread(&self, limit: usize) -> Arc<Unread> {
        Unread::new(limit, Arc::clone(&self.unread))
    }

    /// Waits until what a client has not read leaves room for one more answer.
    ///
    /// # Errors
    ///
    /// When that takes twice as long as a client may leave an answer unread, or the server ends.
    pub(in crate::transport::http) async fn room(&self, unread: &Unread) -> Result<(), Rejection> {
        if unread.has_room() {
            return Ok(());
        }
        let mut ending = self.ending.subscribe();
        // Connections that do not read are closed before.
        let at_most = self.options.write_timeout.saturating_mul(2).min(FOREVER);
        tokio::select! {
            () = unread.room() => Ok(()),
            () = tokio::time::sleep(at_most) => Err(Rejection::Unread),
            _ = ending.wait_for(|ending| *ending) => Err(Rejection::Ending),
        }
    }
}
