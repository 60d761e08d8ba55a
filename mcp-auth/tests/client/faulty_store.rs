//! A store that fails or stalls where a test wants it to.

use std::future::pending;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_auth::client::store::{MemoryStore, StoreLock, TokenStore};
use mcp_runtime::BoxFuture;

/// The calls that go wrong, counted from 0 when the fault was set.
#[derive(Clone, Copy, Debug)]
#[allow(dead_code)]
pub enum StoreFault {
    /// The call with this number fails.
    At(usize),
    /// All calls from this number on fail.
    From(usize),
    /// The call with this number never ends.
    StallsAt(usize),
}

/// An in-memory store with faults. Clones share the store.
#[derive(Clone, Default)]
pub struct FaultyStore {
    store: MemoryStore,
    fault: Arc<Mutex<(Option<StoreFault>, usize)>>,
}

impl FaultyStore {
    /// Replaces the fault and restarts the count of calls.
    pub fn set(&self, fault: Option<StoreFault>) {
        *self.fault.lock().unwrap() = (fault, 0);
    }

    pub fn calls(&self) -> usize {
        self.fault.lock().unwrap().1
    }

    fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce(&MemoryStore) -> BoxFuture<io::Result<T>>,
    ) -> BoxFuture<io::Result<T>> {
        let (fault, number) = {
            let (fault, count) = &mut *self.fault.lock().unwrap();
            *count += 1;
            (*fault, *count - 1)
        };
        match fault {
            Some(StoreFault::StallsAt(at)) if number == at => Box::pin(pending()),
            Some(StoreFault::At(at)) if number == at => Box::pin(async { Err(full()) }),
            Some(StoreFault::From(at)) if number >= at => Box::pin(async { Err(full()) }),
            _ => call(&self.store),
        }
    }
}

fn full() -> io::Error {
    io::Error::new(io::ErrorKind::StorageFull, "the disk is full")
}

impl TokenStore for FaultyStore {
    fn load(&self, key: &str) -> BoxFuture<io::Result<Option<String>>> {
        self.call(|store| store.load(key))
    }

    fn save(&self, key: &str, secret: &str, ttl: Option<Duration>) -> BoxFuture<io::Result<()>> {
        self.call(|store| store.save(key, secret, ttl))
    }

    fn remove(&self, key: &str) -> BoxFuture<io::Result<()>> {
        self.call(|store| store.remove(key))
    }

    fn lock(&self, key: &str) -> BoxFuture<io::Result<StoreLock>> {
        self.call(|store| store.lock(key))
    }
}
