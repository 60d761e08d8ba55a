//! Locks that stay usable after a panic.
//!
//! No code of this module leaves a half-changed value behind a lock, so a lock that is poisoned by
//! the panic of a tool is still valid.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
