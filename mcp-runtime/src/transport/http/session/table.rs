//! The table of open sessions.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};
use std::time::{Duration, Instant};

use super::record::SessionRecord;
use super::{HttpSession, SessionId};
use crate::error::Rejection;
use crate::store::{KeyValue, available};
use crate::sync::{read, write};

pub(crate) struct Sessions {
    open: RwLock<HashMap<SessionId, Arc<HttpSession>>>,
    limit: usize,
    idle: Duration,
    /// Decides whether a session is still alive.
    store: Arc<dyn KeyValue>,
    /// True if a task is looking for unused sessions.
    swept: AtomicBool,
}

impl Sessions {
    pub(crate) fn new(limit: usize, idle: Duration, store: Arc<dyn KeyValue>) -> Self {
        Self {
            open: RwLock::default(),
            limit,
            idle,
            store,
            swept: AtomicBool::new(false),
        }
    }

    /// Adds a session, and returns it. If a session with its id is already open, returns that
    /// session instead.
    ///
    /// # Errors
    ///
    /// When the limit is reached.
    pub(crate) fn add(
        self: &Arc<Self>,
        session: &Arc<HttpSession>,
        now: Instant,
    ) -> Result<Arc<HttpSession>, Rejection> {
        if self.read().len() >= self.limit {
            tokio::spawn(Swept::forget(self.sweep(now), Arc::clone(&self.store)));
        }
        let mut open = self.write();
        if open.len() >= self.limit {
            return Err(Rejection::TooManySessions);
        }
        let there = open.entry(session.id).or_insert_with(|| {
            count_sessions(1);
            Arc::clone(session)
        });
        let there = Arc::clone(there);
        drop(open);
        if !self.swept.swap(true, Ordering::AcqRel) {
            tokio::spawn(sweep(Arc::downgrade(self), self.idle));
        }
        Ok(there)
    }

    /// Finds the session `id` of any caller.
    pub(crate) fn find(&self, id: SessionId) -> Option<Arc<HttpSession>> {
        self.read().get(&id).cloned()
    }

    /// Ends the session `id` in this process.
    pub(crate) fn end(&self, id: SessionId) -> Option<Arc<HttpSession>> {
        let session = self.write().remove(&id)?;
        count_sessions(-1);
        session.end();
        Some(session)
    }

    pub(crate) fn all(&self) -> Vec<Arc<HttpSession>> {
        self.read().values().cloned().collect()
    }

    /// Ends the sessions that have been idle for too long. A session that serves a call or has an
    /// open stream is in use.
    fn sweep(&self, now: Instant) -> Swept {
        let mut swept = Swept::default();
        self.write().retain(|id, session| {
            let mut state = session.lock();
            state.early.remove_expired(now);
            if Arc::strong_count(session) > 1 {
                state.last_used = now;
                // Sessions over HTTP+SSE have no record.
                if session.session.is_stored() {
                    swept.used.push(*id);
                }
            }
            let keep = now.saturating_duration_since(state.last_used) < self.idle;
            drop(state);
            if !keep {
                swept.idle.push(Arc::clone(session));
            }
            keep
        });
        for session in &swept.idle {
            count_sessions(-1);
            tracing::debug!(id = ?session.id, "an unused session was ended");
            session.end();
        }
        swept
    }

    fn read(&self) -> RwLockReadGuard<'_, HashMap<SessionId, Arc<HttpSession>>> {
        read(&self.open)
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<SessionId, Arc<HttpSession>>> {
        write(&self.open)
    }
}

/// Adds `more` to the session count for the metrics layer of `tracing-opentelemetry`.
fn count_sessions(more: i64) {
    tracing::event!(target: "mcp_runtime::http", tracing::Level::DEBUG, counter.http_sessions = more);
}

#[derive(Default)]
struct Swept {
    used: Vec<SessionId>,
    /// Sessions that were ended in this process.
    idle: Vec<Arc<HttpSession>>,
}

impl Swept {
    /// Removes the events of the ended sessions, unless another process still serves them.
    async fn forget(self, store: Arc<dyn KeyValue>) {
        // Drop the sessions themselves before waiting for the store.
        let logs = self.idle.into_iter().filter_map(|session| {
            let log = session.standalone.log.clone()?;
            Some((session.id, log))
        });
        for (id, log) in logs.collect::<Vec<_>>() {
            let key = SessionRecord::key(id);
            if available(|| store.get(&key, None)).await.is_none() {
                log.forget();
            }
        }
    }
}

/// Ends unused sessions periodically as long as there are any sessions.
async fn sweep(sessions: Weak<Sessions>, idle: Duration) {
    let period = (idle / 8).clamp(Duration::from_millis(10), Duration::from_secs(60));
    loop {
        tokio::time::sleep(period).await;
        let Some(sessions) = sessions.upgrade() else {
            return;
        };
        let swept = sessions.sweep(tokio::time::Instant::now().into_std());
        for id in &swept.used {
            let renewed = sessions.store.get(&SessionRecord::key(*id), Some(idle));
            match renewed.await {
                Ok(Some(_)) => {}
                // Another process has ended it, and this process has not heard of it.
                Ok(None) => drop(sessions.end(*id)),
                Err(error) => {
                    // The next attempt is long before the sessions end.
                    crate::log::warn!(%error, "sessions in use were not renewed");
                    break;
                }
            }
        }
        tokio::spawn(swept.forget(Arc::clone(&sessions.store)));
        if sessions.read().is_empty() {
            sessions.swept.store(false, Ordering::Release);
            // A session may have been added before `swept` was cleared, and then no new task was
            // started.
            if sessions.read().is_empty() || sessions.swept.swap(true, Ordering::AcqRel) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use super::*;
    use crate::connection::{Limits, ReplyTo, Served};
    use crate::server::Principal;
    use crate::server::Server;
    use crate::store::MemoryKeyValue;
    use crate::transport::http::exchange::events::{EventLog, EventStore as _, MemoryEventStore};
    use crate::transport::http::exchange::stream::Stream;
    use crate::transport::http::server::state::{Arrival, Permits};
    use crate::transport::http::server::unread::{Budget, Unread};

    fn session(number: u128, now: Instant) -> Arc<HttpSession> {
        session_with(number, now, &Arc::default())
    }

    fn session_with(
        number: u128,
        now: Instant,
        events: &Arc<MemoryEventStore>,
    ) -> Arc<HttpSession> {
        let id = SessionId::new(number);
        let log = Some(EventLog::new(Arc::clone(events) as _, id));
        let owner = Some(Principal::new("ann"));
        let server = Server::builder().build();
        let standalone = Stream::new(0, log);
        let role = (&server, server.lifecycle());
        let limits = Limits::default();
        let session = HttpSession::new(id, owner, role, limits, standalone, Some(0));
        session.lock().last_used = now;
        Arc::new(session)
    }

    /// Steps of concurrent threads; each step is atomic.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Step {
        /// A POST finds the session, and its handler sends a message before it waits.
        Begin,
        /// The handler has to wait, so the call is recorded.
        Insert,
        Delete,
        Sweep,
    }

    /// Returns every order of the steps in which `Insert` comes after `Begin`.
    fn orders() -> Vec<Vec<Step>> {
        let mut orders = vec![Vec::new()];
        for step in [Step::Begin, Step::Insert, Step::Delete, Step::Sweep] {
            let longer = |order: &Vec<Step>, place| {
                let mut order = order.clone();
                order.insert(place, step);
                order
            };
            let places = |order: Vec<Step>| {
                let orders = (0..=order.len()).map(|place| longer(&order, place));
                orders.collect::<Vec<_>>()
            };
            orders = orders.into_iter().flat_map(places).collect();
        }
        let place = |order: &[Step], step| order.iter().position(|it| *it == step);
        orders.retain(|order| place(order, Step::Begin) < place(order, Step::Insert));
        orders
    }

    /// A session and the call of one POST.
    struct Race {
        sessions: Arc<Sessions>,
        events: Arc<MemoryEventStore>,
        permits: Arc<Permits>,
        begun: Option<(Arc<HttpSession>, Arc<Stream>)>,
        /// Held by the handler.
        handler: Arc<()>,
        answer: Option<(StatusCode, Vec<u8>)>,
    }

    fn arrival() -> Arrival {
        let (parts, ()) = http::Request::new(()).into_parts();
        let peer_addr = None;
        Arrival {
            parts: Box::new(parts),
            peer_addr,
        }
    }

    impl Race {
        async fn step(&mut self, step: Step) {
            let id = SessionId::new(1);
            match step {
                Step::Begin => {
                    let Some(session) = self.sessions.find(id) else {
                        return;
                    };
                    let unread = Unread::new(usize::MAX, Arc::new(Budget::new(usize::MAX)));
                    let stream = session.new_stream(&unread);
                    stream.push(b"{}".to_vec());
                    self.begun = Some((session, stream));
                }
                Step::Insert => self.insert(),
                Step::Delete => {
                    let session = self.sessions.end(id);
                    session.inspect(|session| session.forget());
                }
                Step::Sweep => {
                    let swept = self.sessions.sweep(Instant::now() + 2 * IDLE);
                    swept.forget(Arc::clone(&self.sessions.store)).await;
                }
            }
        }

        fn insert(&mut self) {
            let Some((session, stream)) = self.begun.take() else {
                return;
            };
            let held = Arc::clone(&self.handler);
            let handler = Box::pin(async move {
                std::future::pending::<()>().await;
                drop(held);
                unreachable!()
            });
            stream.push(b"{}".to_vec());
            let reply = ReplyTo {
                to: stream,
                batch: None,
            };
            let served = Ok(Served::Later(handler));
            let arrival = arrival();
            let caller = (&self.permits, &arrival, Duration::MAX);
            self.answer = session.start(&7.into(), &reply, caller, served);
        }
    }

    #[tokio::test]
    async fn a_session_that_ends_while_a_call_begins_keeps_nothing_of_it() {
        assert_eq!(orders().len(), 12);
        for order in orders() {
            let sessions = Arc::new(table(10));
            let events = Arc::new(MemoryEventStore::new());
            let session = session_with(1, Instant::now(), &events);
            sessions.add(&session, Instant::now()).unwrap();
            let mut race = Race {
                sessions,
                events,
                permits: Permits::new(1, 1),
                begun: None,
                handler: Arc::default(),
                answer: None,
            };
            let left = Arc::downgrade(&session);
            drop(session);
            for step in &order {
                race.step(*step).await;
            }
            for _ in 0..10 {
                tokio::task::yield_now().await;
            }
            assert_eq!(
                Arc::strong_count(&race.handler),
                1,
                "{order:?}: the handler still runs"
            );
            assert!(race.permits.take(&arrival()).is_some(), "{order:?}");
            for stream in 0..3 {
                let kept = race.events.replay(SessionId::new(1), stream, 0).await;
                assert!(kept.unwrap().is_empty(), "{order:?}");
            }
            assert!(race.sessions.all().is_empty(), "{order:?}");
            assert!(
                left.upgrade().is_none(),
                "{order:?}: the session is still held"
            );
            let place = |step| order.iter().position(|it| *it == step);
            let found = place(Step::Begin) < place(Step::Sweep).min(place(Step::Delete));
            let between = found && place(Step::Delete) < place(Step::Insert);
            let status = race.answer.map(|(status, _)| status);
            assert_eq!(
                status,
                between.then_some(StatusCode::NOT_FOUND),
                "{order:?}"
            );
        }
    }

    #[tokio::test]
    async fn a_call_that_was_cancelled_while_it_began_goes_no_further() {
        let sessions = Arc::new(table(1));
        let session = session(1, Instant::now());
        sessions.add(&session, Instant::now()).unwrap();
        let mut race = Race {
            sessions,
            events: Arc::default(),
            permits: Permits::new(1, 1),
            begun: None,
            handler: Arc::default(),
            answer: None,
        };
        race.step(Step::Begin).await;
        session.lock().early.insert(&7.into(), Instant::now());
        race.step(Step::Insert).await;
        assert!(race.answer.is_none());
        assert_eq!(session.lock().core.in_flight.destinations().count(), 0);
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        assert_eq!(
            Arc::strong_count(&race.handler),
            1,
            "the handler still runs"
        );
        // The id may be used again.
        assert!(!session.lock().early.remove(&7.into(), Instant::now()));
    }

    const IDLE: Duration = Duration::from_secs(60);

    fn table(limit: usize) -> Sessions {
        Sessions::new(limit, IDLE, Arc::new(MemoryKeyValue::new()))
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
