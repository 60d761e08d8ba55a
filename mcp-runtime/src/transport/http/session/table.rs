//! The sessions that are open.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};
use std::time::{Duration, Instant};

use super::{Session, SessionId};
use crate::transport::http::principal::Principal;
use crate::transport::http::rejection::Rejection;

/// The sessions that are open.
pub(in crate::transport::http) struct Sessions {
    open: RwLock<HashMap<SessionId, Arc<Session>>>,
    limit: usize,
    idle: Duration,
    /// Whether a task looks for sessions that nobody uses.
    swept: AtomicBool,
}

impl Sessions {
    pub(in crate::transport::http) fn new(limit: usize, idle: Duration) -> Self {
        Self {
            open: RwLock::default(),
            limit,
            idle,
            swept: AtomicBool::new(false),
        }
    }

    /// Adds a session.
    ///
    /// # Errors
    ///
    /// When the limit is reached.
    pub(in crate::transport::http) fn add(
        self: &Arc<Self>,
        session: &Arc<Session>,
        now: Instant,
    ) -> Result<(), Rejection> {
        if self.read().len() >= self.limit {
            self.sweep(now);
        }
        let mut open = self.write();
        if open.len() >= self.limit {
            return Err(Rejection::TooManySessions);
        }
        open.insert(session.id(), Arc::clone(session));
        drop(open);
        if !self.swept.swap(true, Ordering::AcqRel) {
            tokio::spawn(sweep(Arc::downgrade(self), self.idle));
        }
        Ok(())
    }

    /// The session `id`, if it belongs to `principal`.
    pub(in crate::transport::http) fn get(
        &self,
        id: SessionId,
        principal: Option<&Principal>,
        now: Instant,
    ) -> Option<Arc<Session>> {
        let session = self.read().get(&id).cloned()?;
        if !session.belongs_to(principal) {
            return None;
        }
        session.touch(now);
        Some(session)
    }

    /// Ends the session `id`.
    pub(in crate::transport::http) fn end(&self, id: SessionId) {
        let session = self.write().remove(&id);
        if let Some(session) = session {
            session.end();
        }
    }

    /// Every session that is open.
    pub(in crate::transport::http) fn all(&self) -> Vec<Arc<Session>> {
        self.read().values().cloned().collect()
    }

    /// Ends the sessions that nobody has used for too long. One that serves a call or has a
    /// stream open is in use.
    fn sweep(&self, now: Instant) {
        let mut idle = Vec::new();
        self.write().retain(|_, session| {
            if Arc::strong_count(session) > 1 {
                session.touch(now);
            }
            let keep = now.saturating_duration_since(session.last_used()) < self.idle;
            if !keep {
                idle.push(Arc::clone(session));
            }
            keep
        });
        for session in idle {
            tracing::debug!(id = ?session.id(), "a session that nobody used was ended");
            session.end();
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, HashMap<SessionId, Arc<Session>>> {
        self.open.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<SessionId, Arc<Session>>> {
        self.open.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Looks for sessions that nobody uses, for as long as there are any.
async fn sweep(sessions: Weak<Sessions>, idle: Duration) {
    let period = (idle / 8).clamp(Duration::from_millis(10), Duration::from_secs(60));
    loop {
        tokio::time::sleep(period).await;
        let Some(sessions) = sessions.upgrade() else {
            return;
        };
        sessions.sweep(tokio::time::Instant::now().into_std());
        if sessions.read().is_empty() {
            sessions.swept.store(false, Ordering::Release);
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::ServerLifecycle;
    use crate::server::Server;
    use crate::transport::http::events::{EventLog, MemoryEvents};
    use mcp_types::Revisions;

    fn session(number: u128, now: Instant) -> Arc<Session> {
        let id = SessionId::new(number);
        let log = Some(EventLog::new(Arc::new(MemoryEvents::new()), id));
        let lifecycle = ServerLifecycle::new(Revisions::ALL);
        let owner = Some(Principal::new("ann"));
        let conversation = Server::builder().build().conversation();
        let session = Session::new(id, owner, lifecycle, conversation, log, true, now);
        Arc::new(session)
    }

    const IDLE: Duration = Duration::from_secs(60);

    #[tokio::test]
    async fn idle_sessions_make_room() {
        let start = Instant::now();
        let sessions = Arc::new(Sessions::new(1, IDLE));
        sessions.add(&session(1, start), start).unwrap();
        let refused = sessions.add(&session(2, start), start + IDLE / 2);
        assert_eq!(refused, Err(Rejection::TooManySessions));
        sessions.add(&session(2, start), start + IDLE).unwrap();
        assert!(sessions.get(SessionId::new(1), None, start).is_none());
    }

    #[tokio::test]
    async fn a_session_in_use_is_not_idle() {
        let start = Instant::now();
        let sessions = Arc::new(Sessions::new(10, IDLE));
        let used = session(1, start);
        sessions.add(&used, start).unwrap();
        sessions.sweep(start + 2 * IDLE);
        assert_eq!(sessions.all().len(), 1);
        drop(used);
        sessions.sweep(start + 2 * IDLE + IDLE / 2);
        assert_eq!(sessions.all().len(), 1);
        sessions.sweep(start + 3 * IDLE);
        assert_eq!(sessions.all().len(), 0);
    }

    #[tokio::test]
    async fn a_session_belongs_to_who_opened_it() {
        let start = Instant::now();
        let sessions = Arc::new(Sessions::new(10, IDLE));
        sessions.add(&session(1, start), start).unwrap();
        let get = |principal: Option<&Principal>| sessions.get(SessionId::new(1), principal, start);
        assert!(get(Some(&Principal::new("ann"))).is_some());
        assert!(get(Some(&Principal::new("bob"))).is_none());
        assert!(get(None).is_none());
    }
}
