//! Ids that no other process makes up as well.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// An id that is unique among all servers, as far as chance allows. No secret.
pub(super) fn unique() -> String {
    static PROCESS: OnceLock<u64> = OnceLock::new();
    static LAST: AtomicU64 = AtomicU64::new(0);
    // The standard library seeds its hash maps from the operating system.
    let process = PROCESS.get_or_init(|| RandomState::new().hash_one(()));
    let number = LAST.fetch_add(1, Ordering::Relaxed);
    format!("{process:016x}-{number:x}")
}
