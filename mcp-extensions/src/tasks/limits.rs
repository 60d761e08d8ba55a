//! Default limits and times of tasks.

use std::time::Duration;

/// The time between two requests for a task's status, where the server suggests none.
pub(super) const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The shortest time between two requests for a task's status, whatever the server suggests.
pub(super) const MIN_POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The longest time between two requests for a task's status, whatever the server suggests.
pub(super) const MAX_POLL_INTERVAL: Duration = Duration::from_secs(60 * 60);
/// The number of intervals after which a task is asked for whose changes are announced.
pub(super) const SUBSCRIBED_INTERVALS: u32 = 10;

/// The time for which a client goes on to follow a task whose time to live is over: the server may end it
/// a little later.
pub(super) const LATE: Duration = Duration::from_secs(60);

/// The time from its creation after which a task is deleted.
pub(super) const TTL: Duration = Duration::from_secs(60 * 60);
/// The time for which a task is kept that has failed because it ran for too long.
pub(super) const EXPIRED_KEPT: Duration = Duration::from_secs(5 * 60);
/// The time for which a server that shuts down waits for its tasks.
pub(super) const GRACE: Duration = Duration::from_secs(5);
/// The shortest time between two messages of progress that are stored.
pub(super) const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);
/// The time that an operation of a store may take.
pub(super) const STORE_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest pause before something is tried again that has failed; the first one is a second.
pub(super) const MAX_RETRY_PAUSE: Duration = Duration::from_secs(60);
/// The number of attempts to store the end of a task: about 6 minutes.
pub(super) const FINISH_ATTEMPTS: usize = 12;
/// The time that a server that shuts down has for its last writes after the grace, and again for the
/// release of its lease.
pub(super) const LAST_WRITES: Duration = Duration::from_secs(1);
/// The number of times that a lease is renewed before it is over.
pub(super) const RENEWALS: u32 = 4;
/// The number of times that a task is edited again because another process has changed it meanwhile.
pub(super) const MAX_EDITS: usize = 100;
/// The number of tasks that one subscription is about; others are not accepted.
pub(super) const MAX_SUBSCRIBED: usize = 100;
/// The number of tasks that are found to have expired at the same time.
pub(super) const MAX_DUE: usize = 64;
/// The number of notifications that wait for a client to read.
pub(super) const QUEUED_NOTIFICATIONS: usize = 4;

/// Times of a database.
#[cfg(feature = "sqlite")]
pub(super) mod sqlite {
    use std::time::Duration;

    /// The time after which a process that shares a database is taken for stopped.
    pub(in crate::tasks) const LEASE: Duration = Duration::from_secs(3);
    /// The time between two looks for changes of other processes.
    pub(in crate::tasks) const POLL: Duration = Duration::from_millis(250);
    /// The same after a look that has failed.
    pub(in crate::tasks) const FAILED_POLL: Duration = Duration::from_secs(5);
    /// The time for which an operation waits: for those before it, and for other processes.
    pub(in crate::tasks) const BUSY: Duration = Duration::from_secs(5);
    /// The number of connections that read; one writes.
    pub(in crate::tasks) const READERS: usize = 4;
    /// The number of operations that wait for a connection: to read, and to write.
    pub(in crate::tasks) const QUEUED: usize = 1024;
}

/// The limits of a server's tasks: of all, and of each principal. Callers that nobody vouches for are
/// one principal.
///
/// A call that would exceed them stays a plain one, and is refused where it has to be a task. Results
/// of tasks that were created are always kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskLimits {
    pub(super) running: usize,
    pub(super) running_each: usize,
    pub(super) bytes: usize,
    pub(super) bytes_each: usize,
}

impl Default for TaskLimits {
    fn default() -> Self {
        Self {
            running: 10_000,
            running_each: 1_000,
            bytes: 256 << 20,
            bytes_each: 64 << 20,
        }
    }
}

impl TaskLimits {
    /// The limits by default: 10,000 tasks that run and 256 MiB, of these 1,000 and 64 MiB of one
    /// principal.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of tasks that have not ended: of all, and of one principal.
    #[must_use]
    pub const fn running(mut self, all: usize, each: usize) -> Self {
        (self.running, self.running_each) = (all, each);
        self
    }

    /// The bytes of all tasks that are kept, and of those of one principal.
    #[must_use]
    pub const fn bytes(mut self, all: usize, each: usize) -> Self {
        (self.bytes, self.bytes_each) = (all, each);
        self
    }
}
