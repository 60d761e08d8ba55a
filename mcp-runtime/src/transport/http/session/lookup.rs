//! Opens, finds and ends the sessions of a server.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use http::request::Parts;

use super::{HttpSession, SessionId, SessionRecord, first_request_id};
use crate::connection::now;
use crate::error::Rejection;
use crate::server::Principal;
use crate::transport::http::exchange::events::EventLog;
use crate::transport::http::exchange::stream::Stream;
use crate::transport::http::headers;
use crate::transport::http::server::state::HttpState;

impl HttpState {
    /// Creates a session that requests can't name yet.
    ///
    /// # Errors
    ///
    /// When the operating system can't supply random bytes.
    pub(crate) fn new_session(&self, owner: Option<Principal>) -> Result<HttpSession, Rejection> {
        let id = SessionId::random().map_err(unavailable)?;
        let log = EventLog::new(Arc::clone(&self.options.events), id);
        self.session_called(id, owner, Stream::new(0, Some(log)))
    }

    /// Creates the session `id` with the standalone stream `standalone`.
    ///
    /// # Errors
    ///
    /// When the operating system can't supply random bytes.
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

    /// Adds a session, which was opened with the parameters `initialize`, to the table and the
    /// store.
    ///
    /// # Errors
    ///
    /// When there are too many sessions, or the session can't be stored.
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
            unavailable(error)
        })
    }

    /// Finds the session that a request names; `None` if it names none.
    ///
    /// # Errors
    ///
    /// When the session does not exist, or belongs to another caller.
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

    /// Renews a session of this process in the store; `None` if another process has ended it.
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
            // The state may have been read before a change of this process was stored.
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

    /// Stores the state of a session if it has changed.
    ///
    /// # Errors
    ///
    /// When the store is unavailable. The session then adopts the stored state with its next
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

    /// Opens a session here that another process has opened.
    async fn taken_over(
        &self,
        id: SessionId,
        principal: Option<&Principal>,
    ) -> Result<Option<Arc<HttpSession>>, Rejection> {
        let record = self.options.store.find(id).await.map_err(unavailable)?;
        let is_raw = self.server.is_raw();
        let record = record.filter(|record| record.owner.as_ref() == principal && !is_raw);
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
                crate::log::error!(session = ?id, reason, "the stored record of a session can't be used");
                return Ok(None);
            }
        };
        session.restore(&record.state);
        let session = self.sessions.add(&session, now())?;
        // The session may have ended since the record was read.
        self.renewed(session).await
    }

    /// Ends a session in all processes.
    ///
    /// # Errors
    ///
    /// When the store is unavailable; the session then continues.
    pub(crate) async fn end_session(&self, session: &HttpSession) -> Result<(), Rejection> {
        // The record must be removed first: otherwise a request that arrives meanwhile would open
        // the session again.
        let removed = self.options.store.remove(session.id).await;
        removed.map_err(unavailable)?;
        self.sessions.end(session.id);
        session.forget();
        Ok(())
    }
}

/// Rejects a request whose session needs a store or random bytes that are not available.
pub(crate) fn unavailable(error: impl std::fmt::Display) -> Rejection {
    crate::log::error!(%error, "a session can't be served at the moment");
    Rejection::Unavailable
}
