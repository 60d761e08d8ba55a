//! How many calls may wait for their handlers.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::exchange::Arrival;
use super::principal::Principal;

/// Counts the calls that wait for their handlers: those of each caller, and all of them.
#[derive(Debug)]
pub(super) struct Permits {
    /// For each caller.
    limit: usize,
    /// For all callers together.
    total: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    by_caller: HashMap<Caller, usize>,
    all: usize,
}

/// Whom a call is counted for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Caller {
    Principal(Principal),
    /// Somebody, at the other end of a connection.
    Connection(SocketAddr),
}

/// A place among the calls of one caller, given back when dropped.
pub(super) struct Permit {
    permits: Arc<Permits>,
    caller: Option<Caller>,
}

impl Permits {
    pub(super) fn new(limit: usize, total: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            total,
            taken: Mutex::default(),
        })
    }

    /// How many calls one caller may have waiting.
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// A place for one more call, unless a limit is reached. Callers of whom nothing is known, not
    /// even the connection, are only counted together.
    pub(super) fn take(self: &Arc<Self>, arrival: &Arrival) -> Option<Permit> {
        let principal = arrival.principal().cloned().map(Caller::Principal);
        let caller = principal.or_else(|| arrival.peer_addr.map(Caller::Connection));
        let mut taken = self.lock();
        if taken.all >= self.total {
            return None;
        }
        if let Some(caller) = &caller {
            let count = taken.by_caller.entry(caller.clone()).or_default();
            if *count >= self.limit {
                return None;
            }
            *count += 1;
        }
        taken.all += 1;
        drop(taken);
        Some(Permit {
            permits: Arc::clone(self),
            caller,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut taken = self.permits.lock();
        taken.all -= 1;
        let Some(caller) = &self.caller else {
            return;
        };
        if let Some(count) = taken.by_caller.get_mut(caller) {
            *count -= 1;
            if *count == 0 {
                taken.by_caller.remove(caller);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrival(principal: Option<&str>, port: Option<u16>) -> Arrival {
        let (mut parts, ()) = http::Request::new(()).into_parts();
        if let Some(name) = principal {
            parts.extensions.insert(Principal::new(name));
        }
        let peer_addr = port.map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
        Arrival { parts, peer_addr }
    }

    #[test]
    fn places_are_counted_for_each_caller() {
        let permits = Permits::new(1, 100);
        for (one, other) in [
            (arrival(Some("ann"), Some(1)), arrival(Some("bob"), Some(1))),
            (arrival(None, Some(1)), arrival(None, Some(2))),
        ] {
            let held = permits.take(&one);
            assert!(held.is_some());
            assert!(permits.take(&one).is_none());
            assert!(permits.take(&other).is_some());
            drop(held);
            assert!(permits.lock().by_caller.is_empty());
            assert!(permits.take(&one).is_some());
        }
    }

    #[test]
    fn all_places_together_are_limited() {
        let permits = Permits::new(1, 2);
        let unknown = arrival(None, None);
        let held = (permits.take(&unknown), permits.take(&unknown));
        assert!(held.0.is_some() && held.1.is_some());
        assert!(permits.take(&arrival(Some("ann"), None)).is_none());
        drop(held);
        assert_eq!(permits.lock().all, 0);
    }
}
