//! One HTTP session: its state, and how a server opens, finds and ends it.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use bytes::Bytes;
use http::StatusCode;
use http::request::Parts;
use mcp_types::{
    InitializeRequest, InitializedNotification, Notification, RawJsonRef, Request, RequestId,
};

use super::{SessionId, SessionRecord, StoreError, first_request_id};
use crate::connection::{Core, Limits, Peer, now};
use crate::error::{CallError, Rejection, RequestError};
use crate::limits::{EARLY_CANCELLATION, MAX_EARLY_CANCELLATIONS};
use crate::protocol::{Negotiated, RequestParams, ServerLifecycle};
use crate::server::{Principal, Server, ServerRole, Session};
use crate::sync::lock;
use crate::transport::http::exchange::events::EventLog;
use crate::transport::http::exchange::stream::Stream;
use crate::transport::http::headers;
use crate::transport::http::server::state::HttpState;
use crate::transport::http::server::unread::Unread;

/// State of one client from `initialize` on, over all its connections.
pub(crate) struct HttpSession {
    pub(crate) id: SessionId,
    owner: Option<Principal>,
    /// True if the client can answer requests of the server.
    pub(crate) answers: bool,
    /// The stream for messages that belong to no request: the client reads it with GET.
    pub(crate) standalone: Arc<Stream>,
    pub(crate) session: Arc<Session>,
    last_stream: AtomicU64,
    next_id: AtomicI64,
    state: Mutex<State>,
    /// Held while the state is stored.
    storing: tokio::sync::Mutex<()>,
}

pub(crate) struct State {
    /// The state of the connection that the session is. A request's destination is the stream that
    /// its answer is sent on.
    pub(crate) core: Core<ServerRole, Arc<Stream>>,
    /// True if a task watches the deadlines of requests to the client.
    pub(crate) watched: bool,
    pub(crate) last_used: Instant,
    pub(crate) early: EarlyCancellations,
    /// True if the standalone stream ends with the last call.
    ending: bool,
    /// The session's state as the store has it.
    stored: Bytes,
}

/// Requests that were cancelled before they came: each message has a connection of its own, so that
/// they may arrive in another order than they were sent in.
#[derive(Default)]
struct EarlyCancellations {
    /// Hashes of ids, which may be long, with the time until which they are kept; the oldest first.
    kept: Vec<(u64, Instant)>,
    hasher: RandomState,
}

impl EarlyCancellations {
    /// Remembers that the request `id` was cancelled, in place of the oldest one if there are many.
    pub(crate) fn insert(&mut self, id: &RequestId, now: Instant) {
        self.remove_expired(now);
        if self.kept.len() == MAX_EARLY_CANCELLATIONS {
            self.kept.remove(0);
        }
        let id = self.hasher.hash_one(id);
        self.kept.push((id, now + EARLY_CANCELLATION));
    }

    /// Returns true if the request `id` was cancelled, once.
    pub(crate) fn remove(&mut self, id: &RequestId, now: Instant) -> bool {
        self.remove_expired(now);
        let is_same = |(kept, _): &(u64, _)| *kept == self.hasher.hash_one(id);
        let place = self.kept.iter().position(is_same);
        place.map(|place| self.kept.remove(place)).is_some()
    }

    /// Forgets the requests that have not come in time.
    pub(crate) fn remove_expired(&mut self, now: Instant) {
        self.kept.retain(|(_, until)| *until > now);
        if self.kept.is_empty() {
            self.kept = Vec::new();
        }
    }
}

impl HttpSession {
    /// A session whose requests to the client are numbered from `first_id` on; without it none are
    /// sent. Messages that belong to no request go to `standalone`.
    pub(crate) fn new(
        id: SessionId,
        owner: Option<Principal>,
        (server, lifecycle): (&Server, ServerLifecycle),
        limits: Limits,
        standalone: Stream,
        first_id: Option<i64>,
    ) -> Self {
        let standalone = Arc::new(standalone);
        let outlet = Peer::over(Arc::new(Arc::clone(&standalone)));
        let role = ServerRole::new(server.clone(), lifecycle, outlet);
        Self {
            id,
            owner,
            standalone,
            session: Arc::clone(&role.session),
            answers: first_id.is_some(),
            last_stream: AtomicU64::new(0),
            next_id: AtomicI64::new(first_id.unwrap_or(0)),
            state: Mutex::new(State {
                core: Core::new(role, limits),
                watched: false,
                last_used: now(),
                early: EarlyCancellations::default(),
                ending: false,
                stored: Bytes::new(),
            }),
            storing: tokio::sync::Mutex::default(),
        }
    }

    pub(crate) fn belongs_to(&self, principal: Option<&Principal>) -> bool {
        self.owner.as_ref() == principal
    }

    /// The stream of a request in flight, or of the session itself.
    pub(crate) fn stream(&self, number: u64) -> Option<Arc<Stream>> {
        if number == self.standalone.number {
            return Some(Arc::clone(&self.standalone));
        }
        let state = self.lock();
        let mut streams = state.core.in_flight.destinations();
        streams.find(|stream| stream.number == number).cloned()
    }

    /// A stream for one more request.
    pub(crate) fn new_stream(&self, unread: &Arc<Unread>) -> Arc<Stream> {
        let number = self.last_stream.fetch_add(1, Ordering::Relaxed) + 1;
        Arc::new(Stream::new(number, self.standalone.log.clone()).counting(unread))
    }

    /// An id for a request to the client.
    pub(crate) fn next_id(&self) -> i64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// The outcome of the handshake.
    pub(crate) fn negotiated(&self) -> Option<Arc<Negotiated>> {
        let connection = &self.lock().core.role.lifecycle.connection;
        connection.negotiated.clone()
    }

    /// Takes the session over from another process, with the parameters of its `initialize`.
    /// Streams are numbered from `base`, a random number, so that their ids differ from those of
    /// the other process.
    ///
    /// # Errors
    ///
    /// With the fault of the parameters, if this server could not have accepted them.
    fn taken_over(mut self, params: &[u8], base: u64) -> Result<Self, String> {
        let params: RawJsonRef<'_> =
            serde_json::from_slice(params).map_err(|error| error.to_string())?;
        self.last_stream = AtomicU64::new(base);
        let mut state = self.lock();
        let role = &mut state.core.role;
        let read = || RequestParams::read(Some(params));
        let opened = role.lifecycle.request(InitializeRequest::METHOD, read);
        opened.map_err(|error| error.to_string())?;
        role.initialized(InitializedNotification::METHOD);
        drop(state);
        Ok(self)
    }

    /// Notes a use of the session. True if `stored` is its state in the store as far as is known.
    pub(crate) fn renewed(&self, stored: &Bytes) -> bool {
        let mut state = self.lock();
        state.last_used = now();
        state.stored == *stored
    }

    /// Restores the state that the store has of the session, if another process has changed it.
    pub(crate) fn restore(&self, stored: &Bytes) {
        let mut state = self.lock();
        if state.stored == *stored {
            return;
        }
        state.stored = stored.clone();
        let json = if stored.is_empty() { b"{}" } else { &**stored };
        match serde_json::from_slice(json) {
            Ok(stored) => state.core.role.restore(&stored),
            Err(error) => crate::log::warn!(%error, "the stored state of a session can't be read"),
        }
    }

    /// Returns the state to store, if it has changed in this process.
    fn changed_state(&self) -> Option<Bytes> {
        if !self.session.changed.swap(false, Ordering::AcqRel) {
            return None;
        }
        let state = Bytes::from(serde_json::to_vec(&self.session.state()).ok()?);
        self.lock().stored = state.clone();
        Some(state)
    }

    /// Removes the events of the session, which is over in all processes.
    pub(crate) fn forget(&self) {
        if let Some(log) = &self.standalone.log {
            log.forget();
        }
    }

    /// No more calls come: the session's own stream ends, at once or, where calls are answered on
    /// it, with the last of them.
    pub(crate) fn shut_down(&self) {
        self.lock().ending = true;
        self.end_stream_if_done();
    }

    pub(crate) fn end_stream_if_done(&self) {
        let state = self.lock();
        let is_standalone = |stream: &Arc<Stream>| Arc::ptr_eq(stream, &self.standalone);
        if state.ending && !state.core.in_flight.destinations().any(is_standalone) {
            drop(state);
            self.standalone.end();
        }
    }

    /// Answers the calls in flight with an error.
    pub(crate) fn cut(&self, error: &RequestError) {
        let calls = self.lock().core.in_flight.cancel_all();
        for (id, reply) in calls {
            let message = error.response(&id);
            self.answer(&reply, StatusCode::OK, message);
        }
    }

    /// Ends the session in this process: handlers are dropped, and streams end.
    pub(crate) fn end(&self) {
        let mut state = self.lock();
        let calls = state.core.terminate();
        state.core.fail_all(|_| CallError::Closed);
        drop(state);
        for (_, reply) in calls {
            self.answer(&reply, StatusCode::OK, Vec::new());
        }
        self.standalone.end();
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl HttpState {
    /// A session that no request can name yet.
    ///
    /// # Errors
    ///
    /// When the operating system has no randomness to give.
    pub(crate) fn new_session(&self, owner: Option<Principal>) -> Result<HttpSession, Rejection> {
        let id = SessionId::random().map_err(unavailable)?;
        let log = EventLog::new(Arc::clone(&self.options.events), id);
        self.session_called(id, owner, Stream::new(0, Some(log)))
    }

    /// The session `id`, whose own stream is `standalone`.
    ///
    /// # Errors
    ///
    /// When the operating system has no randomness to give.
    pub(crate) fn session_called(
        &self,
        id: SessionId,
        owner: Option<Principal>,
        standalone: Stream,
    ) -> Result<HttpSession, Rejection> {
        let role = (&self.server, self.server.lifecycle());
        let first_id = Some(first_request_id().map_err(unavailable)?);
        let limits = self.options.limits;
        let session = HttpSession::new(id, owner, role, limits, standalone, first_id);
        Ok(session)
    }

    /// Keeps a session that was opened with the parameters `initialize`.
    ///
    /// # Errors
    ///
    /// When there are too many, or it can't be kept.
    pub(crate) async fn keep(
        &self,
        session: &Arc<HttpSession>,
        owner: Option<Principal>,
        initialize: Bytes,
    ) -> Result<(), Rejection> {
        self.sessions.add(session, now())?;
        let record = SessionRecord::new(owner, initialize);
        let id = session.id;
        let idle = self.options.session_idle;
        let kept = self.options.store.insert(id, record, idle).await;
        kept.map_err(|error| {
            self.sessions.end(id);
            match error {
                StoreError::Full => Rejection::TooManySessions,
                StoreError::Unavailable(_) => unavailable(error),
            }
        })
    }

    /// The session that a request names; `None` if it names none.
    ///
    /// # Errors
    ///
    /// When there is no such session, or it belongs to another caller.
    pub(crate) async fn session(
        &self,
        parts: &Parts,
    ) -> Result<Option<Arc<HttpSession>>, Rejection> {
        let value = headers::only(&parts.headers, &headers::SESSION_ID);
        let Some(value) = value.map_err(|_| Rejection::SessionUnknown)? else {
            return Ok(None);
        };
        if !self.options.sessions {
            return Ok(None);
        }
        let id = value.to_str().ok().and_then(|text| text.parse().ok());
        let id = id.ok_or(Rejection::SessionUnknown)?;
        let principal = parts.extensions.get();
        let session = match self.sessions.find(id) {
            Some(session) if session.belongs_to(principal) => self.renewed(session).await?,
            Some(_) => None,
            None => self.taken_over(id, principal).await?,
        };
        session.map(Some).ok_or(Rejection::SessionUnknown)
    }

    /// A session of this process, unless it is over elsewhere.
    ///
    /// # Errors
    ///
    /// When the store is unavailable.
    async fn renewed(
        &self,
        session: Arc<HttpSession>,
    ) -> Result<Option<Arc<HttpSession>>, Rejection> {
        let id = session.id;
        let idle = self.options.session_idle;
        let renew = || self.options.store.renew(id, idle);
        let mut state = renew().await.map_err(unavailable)?;
        if state.as_ref().is_some_and(|state| !session.renewed(state)) {
            // It may have been read before a change of this process was stored.
            let _storing = session.storing.lock().await;
            state = renew().await.map_err(unavailable)?;
            if let Some(state) = &state {
                session.restore(state);
            }
        }
        if state.is_none() {
            self.sessions.end(id);
        }
        Ok(state.map(|_| session))
    }

    /// Stores the state of a session, if it has changed.
    ///
    /// # Errors
    ///
    /// When the store is unavailable. The session takes the state of the store over with its next
    /// request.
    pub(crate) async fn keep_state(&self, session: &HttpSession) -> Result<(), Rejection> {
        if !session.session.changed.load(Ordering::Acquire) {
            return Ok(());
        }
        let _storing = session.storing.lock().await;
        let Some(state) = session.changed_state() else {
            return Ok(());
        };
        let stored = self.options.store.set_state(session.id, state).await;
        stored.map_err(unavailable)
    }

    /// A session that another process has opened.
    async fn taken_over(
        &self,
        id: SessionId,
        principal: Option<&Principal>,
    ) -> Result<Option<Arc<HttpSession>>, Rejection> {
        let record = self.options.store.find(id).await.map_err(unavailable)?;
        let record = record.filter(|record| record.owner.as_ref() == principal);
        let Some(record) = record else {
            return Ok(None);
        };
        let base = SessionId::random().map_err(unavailable)?.low_bits();
        let log = EventLog::new(Arc::clone(&self.options.events), id);
        let standalone = Stream::new(base, Some(log));
        let session = self.session_called(id, record.owner.clone(), standalone)?;
        let session = match session.taken_over(&record.initialize, base) {
            Ok(session) => Arc::new(session),
            Err(reason) => {
                crate::log::error!(session = ?id, reason, "what the store keeps of a session can't be used");
                return Ok(None);
            }
        };
        session.restore(&record.state);
        let session = self.sessions.add(&session, now())?;
        // It may have ended between the look into the store and here.
        self.renewed(session).await
    }

    /// Ends a session in all processes.
    ///
    /// # Errors
    ///
    /// When the store is unavailable; the session goes on then.
    pub(crate) async fn end_session(&self, session: &HttpSession) -> Result<(), Rejection> {
        // In this order, so that no request that comes meanwhile opens the session anew.
        let removed = self.options.store.remove(session.id).await;
        removed.map_err(unavailable)?;
        self.sessions.end(session.id);
        session.forget();
        Ok(())
    }
}

/// Rejects a request whose session needs a store, or randomness, that is not there.
pub(crate) fn unavailable(error: impl std::fmt::Display) -> Rejection {
    crate::log::error!(%error, "a session can't be served at the moment");
    Rejection::Unavailable
}
