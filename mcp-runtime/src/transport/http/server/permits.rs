//! Limits for each caller and for all of them: calls that wait for their handlers, subscriptions,
//! bytes of request bodies.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::oneshot;

use crate::server::Principal;
use crate::sync::lock;
use crate::transport::http::exchange::arrival::Arrival;

/// Counts the use of a resource by each caller and by all together.
#[derive(Debug)]
pub(crate) struct Permits {
    /// For each caller.
    limit: usize,
    /// For all callers together.
    total: usize,
    used: Mutex<Used>,
}

#[derive(Debug, Default)]
struct Used {
    by_caller: HashMap<Caller, usize>,
    total: usize,
    /// Dropped when nothing is used.
    idle: Option<oneshot::Sender<()>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Caller {
    Principal(Principal),
    /// An unknown caller at the other end of a connection.
    Connection(SocketAddr),
}

/// The use by one call or request, given back when dropped.
pub(crate) struct Permit {
    permits: Arc<Permits>,
    /// Absent for a caller without identity and address.
    caller: Option<Caller>,
    amount: usize,
}

impl Permits {
    pub(crate) fn new(limit: usize, total: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            total,
            used: Mutex::default(),
        })
    }

    /// Waits until nothing is used. Only the last one who waits is told.
    pub(crate) async fn idle(&self) {
        let (idle, waits) = oneshot::channel();
        {
            let mut used = self.lock();
            used.idle = (used.total > 0).then_some(idle);
        }
        // The sender is dropped.
        let _ = waits.await;
    }

    /// The limit for one caller.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Returns a permit for one more call, unless a limit is reached. Callers without identity and
    /// address are only limited together.
    pub(crate) fn take(self: &Arc<Self>, arrival: &Arrival) -> Option<Permit> {
        let mut permit = self.none(arrival);
        permit.grow(1).then_some(permit)
    }

    /// Returns a permit of amount 0, which can grow.
    pub(crate) fn none(self: &Arc<Self>, arrival: &Arrival) -> Permit {
        self.unused(arrival.principal(), arrival.peer_addr)
    }

    /// The same for a caller of whom this is known.
    pub(crate) fn unused(
        self: &Arc<Self>,
        principal: Option<&Principal>,
        peer_addr: Option<SocketAddr>,
    ) -> Permit {
        let principal = principal.cloned().map(Caller::Principal);
        Permit {
            permits: Arc::clone(self),
            caller: principal.or_else(|| peer_addr.map(Caller::Connection)),
            amount: 0,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Used> {
        lock(&self.used)
    }
}

impl Permit {
    /// Uses so much more. `false`, and nothing is used, if that goes beyond a limit.
    pub(crate) fn grow(&mut self, more: usize) -> bool {
        let permits = &self.permits;
        let mut used = permits.lock();
        let total = used.total.saturating_add(more);
        if total > permits.total {
            return false;
        }
        if let Some(caller) = &self.caller {
            let own = used.by_caller.get(caller).copied().unwrap_or(0);
            let own = own.saturating_add(more);
            if own > permits.limit {
                return false;
            }
            used.by_caller.insert(caller.clone(), own);
        }
        used.total = total;
        self.amount += more;
        true
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let used = &mut *self.permits.lock();
        used.total -= self.amount;
        if used.total == 0 {
            used.idle = None;
        }
        if let Some(caller) = &self.caller
            && let Some(own) = used.by_caller.get_mut(caller)
        {
            *own -= self.amount;
            if *own == 0 {
                used.by_caller.remove(caller);
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
        Arrival {
            parts: Box::new(parts),
            peer_addr,
        }
    }

    fn is_unused(permits: &Permits) -> bool {
        let used = permits.lock();
        used.total == 0 && used.by_caller.is_empty()
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
