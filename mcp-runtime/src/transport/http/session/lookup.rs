//! Opens, finds and ends the sessions of a server.

use std::fmt;
use std::sync::Arc;

use http::request::Parts;
use mcp_types::{RawJson, RawJsonRef};

use super::http_session::STREAMS_OF_PROCESS;
use super::record::{RecordError, SessionRecord};
use super::{HttpSession, SessionId, first_request_id};
use crate::connection::now;
use crate::error::Rejection;
use crate::limits::MAX_EDIT_ATTEMPTS;
use crate::server::{Principal, SessionEdit};
use crate::store::{PutMode, Version, Versioned};
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
        let id = SessionId::random().map_err(|error| self.unavailable(error))?;
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
        let first_id = Some(first_request_id().map_err(|error| self.unavailable(error))?);
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
        owner: Option<&Principal>,
        initialize: RawJson,
    ) -> Result<(), Rejection> {
        self.sessions.add(session, now())?;
        let record = SessionRecord::new(owner, initialize);
        let options = &self.options;
        let put = options.store.put(
            session.key(),
            record.write(),
            options.session_idle,
            PutMode::Create,
        );
        let reason = match put.await {
            Ok(Some(version)) => {
                session.wrote(version);
                session.session.collect_edits();
                return Ok(());
            }
            Ok(None) => "another session has the same id".to_owned(),
            Err(error) => error.to_string(),
        };
        self.sessions.end(session.id);
        Err(self.unavailable(reason))
    }

    /// Finds the session that a request names; `None` if it names none.
    ///
    /// # Errors
    ///
    /// When the session does not exist or belongs to another caller, or the store is unavailable.
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
        let here = self.sessions.find(id);
        if here
            .as_ref()
            .is_some_and(|here| !here.belongs_to(principal))
        {
            return Err(Rejection::SessionUnknown);
        }
        let found = match &here {
            Some(here) => self.stored(id, here.key()).await?,
            None => self.stored(id, &SessionRecord::key(id)).await?,
        };
        let session = match (found, here) {
            (None, _) => None,
            (Some(found), Some(session)) => self.refreshed(session, found.version).await?,
            (Some(found), None) => self.opened(id, &found, principal)?,
        };
        session.map(Some).ok_or(Rejection::SessionUnknown)
    }

    /// Renews a session in the store, and returns its record. If there is no record, another
    /// process has ended the session, and it ends here as well.
    ///
    /// # Errors
    ///
    /// When the store is unavailable.
    async fn stored(&self, id: SessionId, key: &str) -> Result<Option<Versioned>, Rejection> {
        let found = self.options.store.get(key, Some(self.options.session_idle));
        let found = found.await.map_err(|error| self.unavailable(error))?;
        if found.is_none() {
            self.sessions.end(id);
        }
        Ok(found)
    }

    /// Adopts the stored state of a session if another process has changed it. `version` is the
    /// version that was found before the request.
    ///
    /// # Errors
    ///
    /// When the store is unavailable, or the record was written by a newer version.
    async fn refreshed(
        &self,
        session: Arc<HttpSession>,
        version: Version,
    ) -> Result<Option<Arc<HttpSession>>, Rejection> {
        if session.used(version) {
            return Ok(Some(session));
        }
        self.adopt_latest(session).await
    }

    /// Adopts the stored state of a session; `None` if the session has ended.
    ///
    /// # Errors
    ///
    /// When the store is unavailable, or the record was written by a newer version.
    pub(super) async fn adopt_latest(
        &self,
        session: Arc<HttpSession>,
    ) -> Result<Option<Arc<HttpSession>>, Rejection> {
        // A change of this process may be about to be stored.
        let storing = session.storing.lock().await;
        let Some(found) = self.stored(session.id, session.key()).await? else {
            return Ok(None);
        };
        let Some(record) = self.read(session.id, &found)? else {
            return Ok(None);
        };
        session.adopt(&record.state, found.version);
        drop(storing);
        Ok(Some(session))
    }

    /// Opens a session here that another process has opened.
    ///
    /// # Errors
    ///
    /// When the record was written by a newer version, or there are too many sessions.
    fn opened(
        &self,
        id: SessionId,
        found: &Versioned,
        principal: Option<&Principal>,
    ) -> Result<Option<Arc<HttpSession>>, Rejection> {
        let record = self.read(id, found)?;
        let is_raw = self.server.is_raw();
        let Some(record) = record.filter(|it| it.belongs_to(principal) && !is_raw) else {
            return Ok(None);
        };
        let base = SessionId::random().map_err(|error| self.unavailable(error))?;
        let base = base.low_bits() / STREAMS_OF_PROCESS * STREAMS_OF_PROCESS;
        let log = EventLog::new(Arc::clone(&self.options.events), id);
        let standalone = Stream::new(base, Some(log));
        let session = self.session_called(id, record.owner(), standalone)?;
        let session = match session.opened_with(RawJsonRef::from(&record.initialize), base) {
            Ok(session) => Arc::new(session),
            Err(reason) => {
                crate::log::error!(session = ?id, reason, "the stored record of a session can't be used");
                return Ok(None);
            }
        };
        session.adopt(&record.state, found.version);
        session.session.collect_edits();
        self.sessions.add(&session, now()).map(Some)
    }

    /// Reads a record; `None` if it is damaged, which is logged. The session is then over, and the
    /// client opens another one.
    ///
    /// # Errors
    ///
    /// When the record was written by a newer version, in whose processes the session goes on.
    fn read(&self, id: SessionId, found: &Versioned) -> Result<Option<SessionRecord>, Rejection> {
        match SessionRecord::read(&found.value) {
            Ok(record) => Ok(Some(record)),
            Err(error @ RecordError::Newer(_)) => Err(self.unavailable(error)),
            Err(error) => {
                crate::log::error!(session = ?id, %error, "the stored record of a session can't be used");
                self.sessions.end(id);
                Ok(None)
            }
        }
    }

    /// Stores the changes of a session's state, if there are any.
    ///
    /// # Errors
    ///
    /// When the store is unavailable. The changes are then undone with the next request.
    pub(crate) async fn keep_state(&self, session: &HttpSession) -> Result<(), Rejection> {
        let edits = session.session.take_edits();
        if edits.is_empty() {
            return Ok(());
        }
        let _storing = session.storing.lock().await;
        let kept = self.edit(session, &edits).await;
        kept.inspect_err(|_| session.undo())
    }

    /// Applies changes to the stored state, again if another process has changed it meanwhile.
    async fn edit(&self, session: &HttpSession, edits: &[SessionEdit]) -> Result<(), Rejection> {
        let options = &self.options;
        for _ in 0..MAX_EDIT_ATTEMPTS {
            let Some(found) = self.stored(session.id, session.key()).await? else {
                return Ok(());
            };
            let Some(mut record) = self.read(session.id, &found)? else {
                return Ok(());
            };
            let was_initialized = record.state.initialized;
            for edit in edits {
                record.state.apply(edit);
            }
            let mode = PutMode::Update(found.version);
            let put = options
                .store
                .put(session.key(), record.write(), options.session_idle, mode);
            if let Some(version) = put.await.map_err(|error| self.unavailable(error))? {
                session.adopt(&record.state, version);
                let client = session.lock().initialized.take();
                if let Some((negotiated, peer)) = client.filter(|_| !was_initialized) {
                    self.server.initialized(negotiated, peer);
                }
                self.tell_edited(session.id).await;
                return Ok(());
            }
        }
        Err(self.unavailable("too many processes change the session at the same time"))
    }

    /// Ends a session in all processes.
    ///
    /// # Errors
    ///
    /// When the store is unavailable; the session then continues.
    pub(crate) async fn end_session(&self, session: &HttpSession) -> Result<(), Rejection> {
        // The record must be removed first: otherwise a request that arrives meanwhile would open
        // the session again.
        let removed = self.options.store.remove(session.key(), None);
        removed.await.map_err(|error| self.unavailable(error))?;
        self.sessions.end(session.id);
        session.forget();
        self.tell_ended(session.id).await;
        Ok(())
    }

    /// Refuses a request whose session needs a store or random bytes that are not available. Logs
    /// the reason once a minute.
    pub(crate) fn unavailable(&self, reason: impl fmt::Display) -> Rejection {
        if self.outages.is_first() {
            crate::log::warn!(%reason, "requests of sessions can't be served at the moment");
        }
        Rejection::Unavailable
    }
}
