//! Stores whose methods can fail, and servers that share these stores.

use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use mcp_runtime::store::{KeyValue, MemoryKeyValue, PutMode, StoreError, Version, Versioned};
use mcp_runtime::transport::http::{
    EventStore, HttpOptions, MemoryEventStore, SessionId, StoredEvent,
};

use crate::site::{Session, Site};

pub(super) type Stored<T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send>>;

/// How a method of a store fails.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) enum Fault {
    #[default]
    None,
    Fails,
    /// Calls fail until this number of calls was made.
    FailsUntil(usize),
    /// Calls fail from this one on, counted from 1.
    FailsFrom(usize),
    /// Calls take effect but never return, as if the connection were lost.
    LosesAnswers,
    /// Calls have no effect and never return.
    Stalls,
}

/// Stores in memory that several servers share. One of their methods may fail.
#[derive(Clone, Default)]
pub(super) struct Shared {
    pub(super) values: MemoryKeyValue,
    events: Arc<MemoryEventStore>,
    failing: Arc<Mutex<(&'static str, Fault)>>,
    calls: Arc<Mutex<Vec<&'static str>>>,
    /// How long it takes to update a value or to store an event. Each event takes half as long as the
    /// previous one.
    pub(super) delay: Arc<Mutex<Duration>>,
}

impl Shared {
    pub(super) async fn site(&self) -> Site {
        let options = HttpOptions::default().store(self.clone());
        Site::with(options.event_store(self.clone())).await
    }

    pub(super) fn fail(&self, method: &'static str) {
        *self.failing.lock().unwrap() = (method, Fault::Fails);
    }

    /// Makes a method fail. Calls are counted from now on.
    pub(super) fn fail_as(&self, method: &'static str, fault: Fault) {
        self.calls.lock().unwrap().clear();
        *self.failing.lock().unwrap() = (method, fault);
    }

    pub(super) fn called(&self, method: &str) -> usize {
        let calls = self.calls.lock().unwrap();
        calls.iter().filter(|called| **called == method).count()
    }

    fn check<T: Send + 'static>(&self, method: &'static str, stored: Stored<T>) -> Stored<T> {
        self.calls.lock().unwrap().push(method);
        let (failing, fault) = *self.failing.lock().unwrap();
        let fault = if failing == method {
            fault
        } else {
            Fault::None
        };
        let unplugged = || StoreError::new("unplugged");
        let calls = self.called(method);
        match fault {
            Fault::FailsUntil(last) if calls >= last => stored,
            Fault::FailsFrom(first) if calls < first => stored,
            Fault::None => stored,
            Fault::Fails | Fault::FailsUntil(_) | Fault::FailsFrom(_) => {
                Box::pin(ready(Err(unplugged())))
            }
            Fault::LosesAnswers => Box::pin(async move { stored.await.and(Err(unplugged())) }),
            Fault::Stalls => Box::pin(std::future::pending()),
        }
    }
}

impl KeyValue for Shared {
    fn get(&self, key: &str, renew: Option<Duration>) -> Stored<Option<Versioned>> {
        self.check("get", self.values.get(key, renew))
    }

    fn put(
        &self,
        key: &str,
        value: Bytes,
        ttl: Duration,
        mode: PutMode,
    ) -> Stored<Option<Version>> {
        let values = self.values.clone();
        let key = key.to_owned();
        let (method, time) = match mode {
            PutMode::Create => ("create", Duration::ZERO),
            _ => ("update", *self.delay.lock().unwrap()),
        };
        let stored = Box::pin(async move {
            if !time.is_zero() {
                tokio::time::sleep(time).await;
            }
            values.put(&key, value, ttl, mode).await
        });
        self.check(method, stored)
    }

    fn remove(&self, key: &str, version: Option<Version>) -> Stored<bool> {
        let values = self.values.clone();
        let key = key.to_owned();
        let removed = Box::pin(async move { values.remove(&key, version).await });
        self.check("remove", removed)
    }
}

impl EventStore for Shared {
    fn append(&self, session: SessionId, event: StoredEvent) -> Stored<()> {
        let failing = *self.failing.lock().unwrap();
        assert_ne!(failing.0, "panic");
        let events = Arc::clone(&self.events);
        let delay = Arc::clone(&self.delay);
        let stored = Box::pin(async move {
            let time = *delay.lock().unwrap();
            if !time.is_zero() {
                *delay.lock().unwrap() = time / 2;
                tokio::time::sleep(time).await;
            }
            events.append(session, event).await
        });
        self.check("append", stored)
    }

    fn replay(&self, session: SessionId, stream: u64, after: u64) -> Stored<Vec<StoredEvent>> {
        self.check("replay", self.events.replay(session, stream, after))
    }

    fn forget(&self, session: SessionId) -> Stored<()> {
        let events = Arc::clone(&self.events);
        let forgotten = Box::pin(async move { events.forget(session).await });
        self.check("forget", forgotten)
    }
}

/// Creates two servers that share their sessions.
pub(super) async fn twins() -> (Site, Site) {
    let shared = Shared::default();
    (shared.site().await, shared.site().await)
}

pub(super) fn elsewhere<'a>(session: &Session<'_>, site: &'a Site) -> Session<'a> {
    Session {
        site,
        id: session.id.clone(),
        revision: session.revision.clone(),
    }
}
