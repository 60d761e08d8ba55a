//! Limits for each caller and for all of them: calls that wait for their handlers, subscriptions,
//! bytes of request bodies.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::principal::Principal;
use crate::transport::http::exchange::Arrival;

/// Counts what callers use: each of them, and all of them together.
#[derive(Debug)]
pub(in crate::transport::http) struct Permits {
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

/// Who is counted for what they use.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Caller {
    Principal(Principal),
    /// Somebody, at the other end of a connection.
    Connection(SocketAddr),
}

/// What one call or request uses of the limits, given back when dropped.
pub(in crate::transport::http) struct Permit {
    permits: Arc<Permits>,
    caller: Option<Caller>,
    amount: usize,
}

impl Permits {
    pub(in crate::transport::http) fn new(limit: usize, total: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            total,
            taken: Mutex::default(),
        })
    }

    /// How much one caller may use.
    pub(in crate::transport::http) fn limit(&self) -> usize {
        self.limit
    }

    /// A place for one more call, unless a limit is reached. Callers of whom nothing is known, not
    /// even the connection, are only counted together.
    pub(in crate::transport::http) fn take(self: &Arc<Self>, arrival: &Arrival) -> Option<Permit> {
        let mut permit = self.none(arrival);
        permit.grow(1).then_some(permit)
    }

    /// A permit that can grow.
    pub(in crate::transport::http) fn none(self: &Arc<Self>, arrival: &Arrival) -> Permit {
        let principal = arrival.principal().cloned().map(Caller::Principal);
        Permit {
            permits: Arc::clone(self),
            caller: principal.or_else(|| arrival.peer_addr.map(Caller::Connection)),
            amount: 0,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit {
    /// Uses so much more. `false`, and nothing is used, where that goes beyond a limit.
    pub(in crate::transport::http) fn grow(&mut self, more: usize) -> bool {
        let (limit, total) = (self.permits.limit, self.permits.total);
        let mut taken = self.permits.lock();
        let of_caller = |caller| taken.by_caller.get(caller).copied().unwrap_or(0);
        let used = self.caller.as_ref().map_or(0, of_caller);
        let within = self.caller.is_none() || used.saturating_add(more) <= limit;
        if !within || taken.all.saturating_add(more) > total {
            return false;
        }
        if let Some(caller) = &self.caller {
            taken.by_caller.insert(caller.clone(), used + more);
        }
        taken.all += more;
        self.amount += more;
        true
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if self.amount == 0 {
            return;
        }
        let mut taken = self.permits.lock();
        taken.all -= self.amount;
        let Some(caller) = &self.caller else {
            return;
        };
        if let Some(count) = taken.by_caller.get_mut(caller) {
            *count -= self.amount;
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

    fn is_unused(permits: &Permits) -> bool {
        let taken = permits.lock();
        taken.all == 0 && taken.by_caller.is_empty()
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
            assert!(is_unused(&permits));
            assert!(permits.take(&one).is_some());
        }
    }

    #[test]
    fn a_permit_grows_within_the_limits() {
        let permits = Permits::new(10, 15);
        let mut ann = permits.none(&arrival(Some("ann"), None));
        assert!(ann.grow(4) && ann.grow(6));
        assert!(!ann.grow(1), "ten are hers");
        let mut bob = permits.none(&arrival(Some("bob"), None));
        assert!(!bob.grow(6), "fifteen are all");
        assert!(bob.grow(5));
        drop(ann);
        assert!(bob.grow(5));
        drop(bob);
        assert!(is_unused(&permits));
    }

    #[test]
    fn all_places_together_are_limited() {
        let permits = Permits::new(1, 2);
        let unknown = arrival(None, None);
        let held = (permits.take(&unknown), permits.take(&unknown));
        assert!(held.0.is_some() && held.1.is_some());
        assert!(permits.take(&arrival(Some("ann"), None)).is_none());
        drop(held);
        assert!(is_unused(&permits));
    }
}
