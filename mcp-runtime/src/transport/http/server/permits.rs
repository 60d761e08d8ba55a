//! Limits for each caller and for all of them: calls that wait for their handlers, subscriptions,
//! bytes of request bodies.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::access::Principal;
use crate::transport::http::exchange::Arrival;

/// Counts the use of a resource by each caller and by all together.
#[derive(Debug)]
pub(in crate::transport::http) struct Permits {
    /// For each caller.
    limit: usize,
    /// For all callers together.
    total: usize,
    used: Mutex<HashMap<User, usize>>,
}

/// A user of a resource that has a limit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum User {
    Principal(Principal),
    /// An unknown caller at the other end of a connection.
    Connection(SocketAddr),
    /// All callers together.
    All,
}

/// The use by one call or request, given back when dropped.
pub(in crate::transport::http) struct Permit {
    permits: Arc<Permits>,
    /// The caller, if it is known, and all of them.
    users: [Option<User>; 2],
    amount: usize,
}

impl Permits {
    pub(in crate::transport::http) fn new(limit: usize, total: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            total,
            used: Mutex::default(),
        })
    }

    /// The limit for one caller.
    pub(in crate::transport::http) fn limit(&self) -> usize {
        self.limit
    }

    /// Returns a permit for one more call, unless a limit is reached. Callers of whom nothing is
    /// known, not even the connection, are only counted together.
    pub(in crate::transport::http) fn take(self: &Arc<Self>, arrival: &Arrival) -> Option<Permit> {
        let mut permit = self.none(arrival);
        permit.grow(1).then_some(permit)
    }

    /// Returns a permit for nothing, which can grow.
    pub(in crate::transport::http) fn none(self: &Arc<Self>, arrival: &Arrival) -> Permit {
        let principal = arrival.principal().cloned().map(User::Principal);
        let caller = principal.or_else(|| arrival.peer_addr.map(User::Connection));
        Permit {
            permits: Arc::clone(self),
            users: [caller, Some(User::All)],
            amount: 0,
        }
    }

    fn limit_of(&self, user: &User) -> usize {
        match user {
            User::All => self.total,
            _ => self.limit,
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<User, usize>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit {
    /// Uses so much more. `false`, and nothing is used, if that goes beyond a limit.
    pub(in crate::transport::http) fn grow(&mut self, more: usize) -> bool {
        let mut used = self.permits.lock();
        let has_room = |user| {
            let used = used.get(user).copied().unwrap_or(0);
            used.saturating_add(more) <= self.permits.limit_of(user)
        };
        if !self.users.iter().flatten().all(has_room) {
            return false;
        }
        for user in self.users.iter().flatten() {
            *used.entry(user.clone()).or_default() += more;
        }
        self.amount += more;
        true
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut used = self.permits.lock();
        for user in self.users.iter().flatten() {
            if let Some(amount) = used.get_mut(user) {
                *amount -= self.amount;
                if *amount == 0 {
                    used.remove(user);
                }
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
        permits.lock().is_empty()
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
