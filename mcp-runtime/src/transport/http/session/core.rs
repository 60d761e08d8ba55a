//! One session.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use bytes::Bytes;
use mcp_types::{InitializeRequest, RawJsonRef, Request, RequestId};

use super::SessionId;
use super::calls::Running;
use super::pending::Asked;
use crate::protocol::{LifecycleState, Negotiated, Pending, ServerLifecycle};
use crate::server::Session;
use crate::transport::http::events::EventLog;
use crate::transport::http::principal::Principal;
use crate::transport::http::stream::Stream;
use crate::transport::http::unread::Unread;

/// What belongs to one client from `initialize` on, whatever connections it uses.
pub(in crate::transport::http) struct HttpSession {
    id: SessionId,
    owner: Option<Principal>,
    /// Absent where the client can't come back.
    log: Option<EventLog>,
    /// Whether the client can answer what it is asked.
    answers: bool,
    /// What belongs to no request: the client reads it with GET.
    standalone: Arc<Stream>,
    session: Arc<Session>,
    last_stream: AtomicU64,
    next_id: AtomicI64,
    state: Mutex<State>,
}

pub(super) struct State {
    pub(super) lifecycle: ServerLifecycle,
    pub(super) in_flight: HashMap<RequestId, Running>,
    /// The streams of the requests in flight.
    pub(super) streams: HashMap<u64, Arc<Stream>>,
    pub(super) pending: Pending<Asked>,
    /// Whether a task watches the deadlines of `pending`.
    pub(super) watched: bool,
    pub(super) last_used: Instant,
    /// Whether the stream of the session ends with its last call.
    pub(super) ending: bool,
    /// What the client has asked for once for all, as it is kept.
    wishes: Bytes,
}

impl State {
    /// Whether the session has ended in this process: nothing may be added any more.
    pub(super) fn is_over(&self) -> bool {
        self.lifecycle.state() == LifecycleState::Terminated
    }
}

impl HttpSession {
    /// A session whose requests to the client are numbered from `first_id` on; a client that can't
    /// answer is sent none. What belongs to no request goes to `standalone`.
    pub(in crate::transport::http) fn new(
        id: SessionId,
        owner: Option<Principal>,
        lifecycle: ServerLifecycle,
        session: Arc<Session>,
        standalone: Stream,
        first_id: Option<i64>,
        now: Instant,
    ) -> Self {
        Self {
            id,
            owner,
            log: standalone.log().cloned(),
            standalone: Arc::new(standalone),
            session,
            answers: first_id.is_some(),
            last_stream: AtomicU64::new(0),
            next_id: AtomicI64::new(first_id.unwrap_or(0)),
            state: Mutex::new(State {
                lifecycle,
                in_flight: HashMap::new(),
                streams: HashMap::new(),
                pending: Pending::new(),
                watched: false,
                last_used: now,
                ending: false,
                wishes: Bytes::new(),
            }),
        }
    }

    pub(in crate::transport::http) fn id(&self) -> SessionId {
        self.id
    }

    pub(in crate::transport::http) fn belongs_to(&self, principal: Option<&Principal>) -> bool {
        self.owner.as_ref() == principal
    }

    pub(in crate::transport::http) fn standalone(&self) -> &Arc<Stream> {
        &self.standalone
    }

    pub(in crate::transport::http) fn session(&self) -> &Arc<Session> {
        &self.session
    }

    pub(super) fn answers(&self) -> bool {
        self.answers
    }

    pub(in crate::transport::http) fn log(&self) -> Option<&EventLog> {
        self.log.as_ref()
    }

    /// The stream of a request in flight, or of the session itself.
    pub(in crate::transport::http) fn stream(&self, number: u64) -> Option<Arc<Stream>> {
        if number == self.standalone.number() {
            return Some(Arc::clone(&self.standalone));
        }
        self.lock().streams.get(&number).cloned()
    }

    /// A stream for one more request.
    pub(in crate::transport::http) fn new_stream(&self, unread: &Arc<Unread>) -> Arc<Stream> {
        let number = self.last_stream.fetch_add(1, Ordering::Relaxed) + 1;
        Arc::new(Stream::new(number, self.log.clone()).counting(unread))
    }

    /// An id for a request to the client.
    pub(in crate::transport::http) fn next_id(&self) -> i64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// What the handshake settled on.
    pub(in crate::transport::http) fn negotiated(&self) -> Option<Arc<Negotiated>> {
        self.lock().lifecycle.negotiated().cloned()
    }

    pub(in crate::transport::http) fn touch(&self, now: Instant) {
        self.lock().last_used = now;
    }

    pub(in crate::transport::http) fn last_used(&self) -> Instant {
        self.lock().last_used
    }

    /// Takes the session over from another process, with the parameters of its `initialize`. Its
    /// streams are numbered from `base` on, which is its own, so that they are not taken for those of the other.
    ///
    /// # Errors
    ///
    /// What is wrong with the parameters, if they are none that this server could have accepted.
    pub(in crate::transport::http) fn taken_over(
        mut self,
        params: &[u8],
        base: u64,
    ) -> Result<Arc<Self>, String> {
        let params: RawJsonRef<'_> =
            serde_json::from_slice(params).map_err(|error| error.to_string())?;
        self.last_stream = AtomicU64::new(base);
        let opened = self
            .lock()
            .lifecycle
            .request(InitializeRequest::METHOD, Some(params));
        opened.map_err(|refusal| refusal.to_string())?;
        let session = Arc::new(self);
        session.initialized();
        Ok(session)
    }

    /// Goes by the wishes that are kept of the client, where another process has changed them.
    pub(in crate::transport::http) fn go_by(&self, wishes: Bytes) {
        if self.lock().wishes == wishes {
            return;
        }
        match serde_json::from_slice(&wishes) {
            Ok(state) => self.session.restore(&state),
            Err(error) => tracing::warn!(%error, "what is kept of a session can't be read"),
        }
        self.lock().wishes = wishes;
    }

    /// What is to be kept of the client's wishes, if that has changed here.
    pub(in crate::transport::http) fn new_wishes(&self) -> Option<Bytes> {
        if !self.session.take_changed() {
            return None;
        }
        let wishes = Bytes::from(serde_json::to_vec(&self.session.state()).ok()?);
        self.lock().wishes = wishes.clone();
        Some(wishes)
    }

    /// The session is over for good: what is kept for its client is not asked for any more.
    pub(in crate::transport::http) fn forget(&self) {
        if let Some(log) = &self.log {
            log.forget();
        }
    }

    /// No more calls come: the session's own stream ends, at once or, where calls are answered on
    /// it, with the last of them.
    pub(in crate::transport::http) fn shut_down(&self) {
        self.lock().ending = true;
        self.end_stream_if_done();
    }

    pub(super) fn end_stream_if_done(&self) {
        let state = self.lock();
        let on_it = |running: &Running| Arc::ptr_eq(running.sink().stream(), &self.standalone);
        if state.ending && !state.in_flight.values().any(on_it) {
            drop(state);
            self.standalone.end();
        }
    }

    /// Answers the calls in flight with an error.
    pub(in crate::transport::http) fn cut(&self) {
        let calls = std::mem::take(&mut self.lock().in_flight);
        for (id, running) in calls {
            running.cut(&id);
        }
    }

    /// The session is over in this process: handlers are dropped, and streams end.
    pub(in crate::transport::http) fn end(&self) {
        let mut state = self.lock();
        state.lifecycle.terminate();
        for running in std::mem::take(&mut state.in_flight).into_values() {
            running.cancel();
        }
        state.streams.clear();
        let asked = state.pending.drain();
        drop(state);
        asked.for_each(|(_, asked)| asked.close());
        self.session.end();
        self.standalone.end();
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
