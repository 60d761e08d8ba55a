//! Opening sessions, finding them again, and ending them.

use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;

use super::events::EventLog;
use super::server::access::Principal;
use super::server::response::Rejection;
use super::server::service::HttpState;
use super::session::{HttpSession, SessionId, SessionRecord, SessionStoreError, first_request_id};
use super::stream::Stream;
use super::{header_validation, headers};
use crate::connection::now;

impl HttpState {
    /// A session that no request can name yet.
    ///
    /// # Errors
    ///
    /// When the operating system has no randomness to give.
    pub(super) fn new_session(&self, owner: Option<Principal>) -> Result<HttpSession, Rejection> {
        let id = SessionId::random().map_err(no_randomness)?;
        let log = EventLog::new(Arc::clone(&self.options.events), id);
        self.session_called(id, owner, Stream::new(0, Some(log)))
    }

    /// The session `id`, whose own stream is `standalone`.
    ///
    /// # Errors
    ///
    /// When the operating system has no randomness to give.
    pub(super) fn session_called(
        &self,
        id: SessionId,
        owner: Option<Principal>,
        standalone: Stream,
    ) -> Result<HttpSession, Rejection> {
        let role = (&self.server, self.server.lifecycle());
        let first_id = Some(first_request_id().map_err(no_randomness)?);
        let limits = self.options.limits();
        let session = HttpSession::new(id, owner, role, limits, standalone, first_id);
        Ok(session)
    }

    /// Keeps a session that was opened with the parameters `initialize`.
    ///
    /// # Errors
    ///
    /// When there are too many, or it can't be kept.
    pub(super) async fn keep(
        &self,
        session: &Arc<HttpSession>,
        owner: Option<Principal>,
        initialize: Bytes,
    ) -> Result<(), Rejection> {
        self.sessions.add(session, now())?;
        let record = SessionRecord::new(owner, initialize);
        let (id, idle) = (session.id(), self.options.session_idle);
        let kept = self.options.store.insert(id, record, idle).await;
        kept.map_err(|error| {
            self.sessions.end(id);
            match error {
                SessionStoreError::Full => Rejection::TooManySessions,
                SessionStoreError::Unavailable(_) => {
                    tracing::error!(%error, "a session was not opened");
                    Rejection::NoSessions
                }
            }
        })
    }

    /// The session that a request names; `None` if it names none.
    ///
    /// # Errors
    ///
    /// When there is no such session, or it belongs to somebody else.
    pub(super) async fn session(
        &self,
        parts: &Parts,
    ) -> Result<Option<Arc<HttpSession>>, Rejection> {
        let value = header_validation::only(&parts.headers, &headers::SESSION_ID);
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
            Some(session) if session.belongs_to(principal) => self.renewed(session).await,
            Some(_) => None,
            None => self.taken_over(id, principal).await?,
        };
        session.map(Some).ok_or(Rejection::SessionUnknown)
    }

    /// A session of this process, unless it is over elsewhere.
    async fn renewed(&self, session: Arc<HttpSession>) -> Option<Arc<HttpSession>> {
        let (id, idle) = (session.id(), self.options.session_idle);
        let Some(wishes) = self.options.store.renew(id, idle).await else {
            self.sessions.end(id);
            return None;
        };
        session.go_by(wishes);
        session.touch(now());
        Some(session)
    }

    /// Keeps what the client has asked for once for all, if that has changed.
    pub(super) async fn keep_wishes(&self, session: &HttpSession) {
        if let Some(wishes) = session.new_wishes() {
            self.options.store.set_wishes(session.id(), wishes).await;
        }
    }

    /// A session that another process has opened.
    async fn taken_over(
        &self,
        id: SessionId,
        principal: Option<&Principal>,
    ) -> Result<Option<Arc<HttpSession>>, Rejection> {
        let record = self.options.store.find(id).await;
        let record = record.filter(|record| record.owner.as_ref() == principal);
        let Some(record) = record else {
            return Ok(None);
        };
        let base = SessionId::random().map_err(no_randomness)?.low_bits();
        let log = EventLog::new(Arc::clone(&self.options.events), id);
        let standalone = Stream::new(base, Some(log));
        let session = self.session_called(id, record.owner.clone(), standalone)?;
        let session = match session.taken_over(&record.initialize, base) {
            Ok(session) => Arc::new(session),
            Err(reason) => {
                tracing::error!(session = ?id, reason, "what the store keeps of a session can't be used");
                return Ok(None);
            }
        };
        session.go_by(record.wishes);
        let session = self.sessions.add(&session, now())?;
        // It may have ended between the look into the store and here.
        Ok(self.renewed(session).await)
    }

    /// Ends a session for good.
    pub(super) async fn end_session(&self, session: &HttpSession) {
        // In this order, so that no request that comes meanwhile opens the session anew.
        self.options.store.remove(session.id()).await;
        self.sessions.end(session.id());
        session.forget();
    }
}

fn no_randomness(error: getrandom::Error) -> Rejection {
    tracing::error!(%error, "no randomness for a session");
    Rejection::NoSessions
}
