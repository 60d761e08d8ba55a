//! The state of one HTTP session.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Instant;

use http::StatusCode;
use mcp_types::{InitializeRequest, RawJsonRef, Request, RequestId};

use super::SessionId;
use super::record::SessionRecord;
use crate::connection::{Core, Limits, Peer, Recorder, now};
use crate::error::{CallError, RequestError};
use crate::limits::{EARLY_CANCELLATION, MAX_EARLY_CANCELLATIONS};
use crate::protocol::{Negotiated, RequestParams, ServerLifecycle};
use crate::server::{Principal, Server, ServerRole, Session, SessionEdit, StoredSession};
use crate::store::Version;
use crate::sync::lock;
use crate::transport::http::exchange::stream::Stream;
use crate::transport::http::server::unread::Unread;

/// How many streams of a session a process numbers. The standalone stream of each process has a
/// multiple of it as its number.
pub(super) const STREAMS_OF_PROCESS: u64 = 1 << 20;

/// The state of one client from `initialize` on, across all its connections.
pub(crate) struct HttpSession {
    pub(crate) id: SessionId,
    owner: Option<Principal>,
    /// True if the client can answer the server's requests.
    pub(crate) answers: bool,
    /// The stream for messages that do not belong to a request. The client reads it with GET.
    pub(crate) standalone: Arc<Stream>,
    pub(crate) session: Arc<Session>,
    last_stream: AtomicU64,
    next_id: AtomicI64,
    state: Mutex<SessionState>,
    /// Held while the session's state is stored.
    pub(crate) storing: tokio::sync::Mutex<()>,
    recorder: OnceLock<Recorder>,
    /// The key of the session's record, which each request needs.
    key: OnceLock<String>,
}

pub(crate) struct SessionState {
    /// The protocol state. A request's destination is the stream on which its answer is sent.
    pub(crate) core: Core<ServerRole, Arc<Stream>>,
    /// True if a task is watching the deadlines of requests to the client.
    pub(crate) watched: bool,
    pub(crate) last_used: Instant,
    pub(crate) early: EarlyCancellations,
    /// True if the standalone stream ends together with the last call.
    ending: bool,
    /// The version of the record whose state this process has adopted; `None` if that is not known.
    adopted: Option<Version>,
    /// The client whose handshake is complete, until that is stored.
    pub(crate) initialized: Option<(Arc<Negotiated>, Peer)>,
}

/// Requests that were cancelled before they arrived. Each message has its own connection, so
/// messages may arrive in a different order than they were sent.
#[derive(Default)]
pub(crate) struct EarlyCancellations {
    /// The hash of each id, because ids may be long, with the time until which it is kept; the
    /// oldest first.
    kept: Vec<(u64, Instant)>,
    hasher: RandomState,
}

impl EarlyCancellations {
    /// Records that the request `id` was cancelled, and drops the oldest record if there are too
    /// many.
    pub(crate) fn insert(&mut self, id: &RequestId, now: Instant) {
        self.remove_expired(now);
        if self.kept.len() == MAX_EARLY_CANCELLATIONS {
            self.kept.remove(0);
        }
        let id = self.hasher.hash_one(id);
        self.kept.push((id, now + EARLY_CANCELLATION));
    }

    /// Returns true if the request `id` was cancelled, and removes the record.
    pub(crate) fn remove(&mut self, id: &RequestId, now: Instant) -> bool {
        self.remove_expired(now);
        let is_same = |(kept, _): &(u64, _)| *kept == self.hasher.hash_one(id);
        let place = self.kept.iter().position(is_same);
        place.map(|place| self.kept.remove(place)).is_some()
    }

    pub(crate) fn remove_expired(&mut self, now: Instant) {
        self.kept.retain(|(_, until)| *until > now);
        if self.kept.is_empty() {
            self.kept = Vec::new();
        }
    }
}

impl HttpSession {
    /// Creates a session. Its requests to the client are numbered from `first_id` on; if `first_id`
    /// is `None`, the session sends no requests. Messages that do not belong to a request go to
    /// `standalone`.
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
            state: Mutex::new(SessionState {
                core: Core::new(role, limits),
                watched: false,
                last_used: now(),
                early: EarlyCancellations::default(),
                ending: false,
                adopted: None,
                initialized: None,
            }),
            storing: tokio::sync::Mutex::default(),
            recorder: OnceLock::new(),
            key: OnceLock::new(),
        }
    }

    /// Returns the recorder of the session's messages. The first call creates it with `first`.
    pub(crate) fn recorder(&self, first: impl FnOnce() -> Recorder) -> &Recorder {
        self.recorder.get_or_init(first)
    }

    pub(super) fn key(&self) -> &str {
        self.key.get_or_init(|| SessionRecord::key(self.id))
    }

    pub(crate) fn belongs_to(&self, principal: Option<&Principal>) -> bool {
        self.owner.as_ref() == principal
    }

    /// Finds the stream of a request in flight, or the standalone stream. A client that read the
    /// standalone stream of another process continues with the stream of this process.
    pub(crate) fn stream(&self, number: u64) -> Option<Arc<Stream>> {
        if number.is_multiple_of(STREAMS_OF_PROCESS) {
            return Some(Arc::clone(&self.standalone));
        }
        let state = self.lock();
        let mut streams = state.core.in_flight.destinations();
        streams.find(|stream| stream.number == number).cloned()
    }

    pub(crate) fn new_stream(&self, unread: &Arc<Unread>) -> Arc<Stream> {
        let number = self.last_stream.fetch_add(1, Ordering::Relaxed) + 1;
        Arc::new(Stream::new(number, self.standalone.log.clone()).counting(unread))
    }

    pub(crate) fn next_id(&self) -> i64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn negotiated(&self) -> Option<Arc<Negotiated>> {
        let connection = &self.lock().core.role.lifecycle.connection;
        connection.negotiated.clone()
    }

    /// Opens the session with the parameters of its `initialize`, which another process has
    /// received. Streams are numbered from `base`, a random multiple of [`STREAMS_OF_PROCESS`], so
    /// that their ids differ from those of the other process.
    ///
    /// # Errors
    ///
    /// When this server would not have accepted the parameters. The error says why.
    pub(crate) fn opened_with(mut self, params: RawJsonRef<'_>, base: u64) -> Result<Self, String> {
        self.last_stream = AtomicU64::new(base);
        let mut state = self.lock();
        let read = || RequestParams::read(Some(params));
        let lifecycle = &mut state.core.role.lifecycle;
        let opened = lifecycle.request(InitializeRequest::METHOD, read);
        opened.map_err(|error| error.to_string())?;
        drop(state);
        Ok(self)
    }

    /// Records that the session was used. Returns true if this process has adopted the `version` of
    /// the record.
    pub(crate) fn used(&self, version: Version) -> bool {
        let mut state = self.lock();
        state.last_used = now();
        state.adopted == Some(version)
    }

    /// Adopts the state of the record with this version.
    pub(crate) fn adopt(&self, stored: &StoredSession, version: Version) {
        let mut state = self.lock();
        if state.adopted != Some(version) {
            state.adopted = Some(version);
            state.core.role.restore(stored);
        }
    }

    /// Sets the version of the record that this process has written.
    pub(crate) fn wrote(&self, version: Version) {
        self.lock().adopted = Some(version);
    }

    /// Adopts the state of the record with the next request, because a change could not be stored.
    /// The end of the handshake can't be undone, so it is stored with the next request.
    pub(crate) fn undo(&self) {
        let mut state = self.lock();
        state.adopted = None;
        if state.initialized.is_some() {
            self.session.edited(|| SessionEdit::Initialized);
        }
    }

    /// Removes the events of the session, which has ended in all processes.
    pub(crate) fn forget(&self) {
        if let Some(log) = &self.standalone.log {
            log.forget();
        }
    }

    /// Ends the standalone stream, because no more calls will come. If calls are answered on that
    /// stream, it ends with the last of them.
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

    /// Ends the session in this process: drops its handlers and ends its streams.
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

    pub(crate) fn lock(&self) -> MutexGuard<'_, SessionState> {
        lock(&self.state)
    }
}
