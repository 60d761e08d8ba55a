//! The sessions that are open.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};
use std::time::{Duration, Instant};

use super::{Session, SessionId, SessionStore};
use crate::transport::http::figures;
use crate::transport::http::rejection::Rejection;

/// The sessions that are open.
pub(in crate::transport::http) struct Sessions {
    open: RwLock<HashMap<SessionId, Arc<Session>>>,
    limit: usize,
    idle: Duration,
    /// Who decides whether a session goes on.
    store: Arc<dyn SessionStore>,
    /// Whether a task looks for sessions that nobody uses.
    swept: AtomicBool,
}

impl Sessions {
    pub(in crate::transport::http) fn new(
        limit: usize,
        idle: Duration,
        store: Arc<dyn SessionStore>,
    ) -> Self {
        Self {
            open: RwLock::default(),
            limit,
            idle,
            store,
            swept: AtomicBool::new(false),
        }
    }

    /// Adds a session, unless it is there already: then the one that is there is the session.
    ///
    /// # Errors
    ///
    /// When the limit is reached.
    pub(in crate::transport::http) fn add(
        self: &Arc<Self>,
        session: &Arc<Session>,
        now: Instant,
    ) -> Result<Arc<Session>, Rejection> {
        if self.read().len() >= self.limit {
            tokio::spawn(Swept::forget(self.sweep(now), Arc::clone(&self.store)));
        }
        let mut open = self.write();
        if open.len() >= self.limit {
            return Err(Rejection::TooManySessions);
        }
        let there = open.entry(session.id()).or_insert_with(|| {
            figures::sessions(1);
            Arc::clone(session)
        });
        let there = Arc::clone(there);
        drop(open);
        if !self.swept.swap(true, Ordering::AcqRel) {
            tokio::spawn(sweep(Arc::downgrade(self), self.idle));
        }
        Ok(there)
    }

    /// The session `id`, whoever it belongs to.
    pub(in crate::transport::http) fn find(&self, id: SessionId) -> Option<Arc<Session>> {
        self.read().get(&id).cloned()
    }

    /// Ends the session `id` in this process.
    pub(in crate::transport::http) fn end(&self, id: SessionId) -> Option<Arc<Session>> {
        let session = self.write().remove(&id)?;
        figures::sessions(-1);
        session.end();
        Some(session)
    }

    /// Every session that is open.
    pub(in crate::transport::http) fn all(&self) -> Vec<Arc<Session>> {
        self.read().values().cloned().collect()
    }

    /// Ends the sessions that nobody has used for too long. One that serves a call or has a
    /// stream open is in use.
    fn sweep(&self, now: Instant) -> Swept {
        let mut swept = Swept::default();
        self.write().retain(|id, session| {
            if Arc::strong_count(session) > 1 {
                session.touch(now);
                swept.used.push(*id);
            }
            let keep = now.saturating_duration_since(session.last_used()) < self.idle;
            if !keep {
                swept.idle.push(Arc::clone(session));
            }
            keep
        });
        for session in &swept.idle {
            figures::sessions(-1);
            tracing::debug!(id = ?session.id(), "a session that nobody used was ended");
            session.end();
        }
        swept
    }

    fn read(&self) -> RwLockReadGuard<'_, HashMap<SessionId, Arc<Session>>> {
        self.open.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<SessionId, Arc<Session>>> {
        self.open.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a look at all sessions found.
#[derive(Default)]
struct Swept {
    used: Vec<SessionId>,
    /// Ended in this process.
    idle: Vec<Arc<Session>>,
}

impl Swept {
    /// Forgets the sessions that are over, unless another process goes on with them.
    async fn forget(self, store: Arc<dyn SessionStore>) {
        for session in self.idle {
            if store.find(session.id()).await.is_none() {
                session.forget();
            }
        }
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
        let swept = sessions.sweep(tokio::time::Instant::now().into_std());
        for id in &swept.used {
            sessions.store.renew(*id, idle).await;
        }
        swept.forget(Arc::clone(&sessions.store)).await;
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
    use crate::transport::http::principal::Principal;
    use crate::transport::http::session::MemorySessions;
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

    fn table(limit: usize) -> Sessions {
        Sessions::new(limit, IDLE, Arc::new(MemorySessions::new()))
    }

    #[tokio::test]
    async fn idle_sessions_make_room() {
        let start = Instant::now();
        let sessions = Arc::new(table(1));
        sessions.add(&session(1, start), start).unwrap();
        let refused = sessions.add(&session(2, start), start + IDLE / 2);
        assert_eq!(refused.err(), Some(Rejection::TooManySessions));
        sessions.add(&session(2, start), start + IDLE).unwrap();
        assert!(sessions.find(SessionId::new(1)).is_none());
    }

    #[tokio::test]
    async fn a_session_in_use_is_not_idle() {
        let start = Instant::now();
        let sessions = Arc::new(table(10));
        let used = session(1, start);
        sessions.add(&used, start).unwrap();
        drop(sessions.sweep(start + 2 * IDLE));
        assert_eq!(sessions.all().len(), 1);
        drop(used);
        drop(sessions.sweep(start + 2 * IDLE + IDLE / 2));
        assert_eq!(sessions.all().len(), 1);
        drop(sessions.sweep(start + 3 * IDLE));
        assert_eq!(sessions.all().len(), 0);
    }

    #[tokio::test]
    async fn a_session_belongs_to_who_opened_it() {
        let start = Instant::now();
        let sessions = Arc::new(table(10));
        sessions.add(&session(1, start), start).unwrap();
        let found = sessions.find(SessionId::new(1)).unwrap();
        let get = |principal: Option<&Principal>| found.belongs_to(principal);
        assert!(get(Some(&Principal::new("ann"))));
        assert!(!get(Some(&Principal::new("bob"))));
        assert!(!get(None));
    }
}
