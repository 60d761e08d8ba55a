//! How many calls each principal may have waiting.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::principal::Principal;

/// Counts the calls that wait for their handlers, for each principal; callers without one share a
/// count.
#[derive(Debug)]
pub(super) struct Permits {
    limit: usize,
    taken: Mutex<HashMap<Option<Principal>, usize>>,
}

/// A place among the calls of one principal, given back when dropped.
pub(super) struct Permit {
    permits: Arc<Permits>,
    principal: Option<Principal>,
}

impl Permits {
    pub(super) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            taken: Mutex::default(),
        })
    }

    /// A place for one more call, unless the limit is reached.
    pub(super) fn take(self: &Arc<Self>, principal: Option<&Principal>) -> Option<Permit> {
        let principal = principal.cloned();
        let mut taken = self.lock();
        let count = taken.entry(principal.clone()).or_default();
        if *count >= self.limit {
            return None;
        }
        *count += 1;
        drop(taken);
        Some(Permit {
            permits: Arc::clone(self),
            principal,
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Option<Principal>, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut taken = self.permits.lock();
        if let Some(count) = taken.get_mut(&self.principal) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.principal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_for_each_principal() {
        let permits = Permits::new(1);
        let ann = Principal::new("ann");
        let held = permits.take(Some(&ann));
        assert!(held.is_some());
        assert!(permits.take(Some(&ann)).is_none());
        assert!(permits.take(None).is_some());
        drop(held);
        assert!(permits.lock().is_empty());
        assert!(permits.take(Some(&ann)).is_some());
    }
}
