//! Default limits and times of tasks, each with its unit and reason.
//!
//! A default of a setting can be changed by the setting; the others are fixed.

use std::time::Duration;

// Clients.

/// Time between two requests for a task's status, where the server suggests none.
pub(super) const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Shortest time between two requests for a task's status, whatever the server suggests.
pub(super) const MIN_POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Longest time between two requests for a task's status, whatever the server suggests.
pub(super) const MAX_POLL_INTERVAL: Duration = Duration::from_secs(60 * 60);
/// Intervals between two requests for a task whose changes are announced; an announcement may be lost.
pub(super) const SUBSCRIBED_INTERVALS: u32 = 10;
/// Time for which a client follows a task whose time to live is over: the server may end it a little
/// later.
pub(super) const LATE: Duration = Duration::from_secs(60);

// Servers.

/// Time from its creation after which a task is deleted; a client that was away comes back within it.
pub(super) const TTL: Duration = Duration::from_secs(60 * 60);
/// Time for which a task is kept that has failed because it ran for too long.
pub(super) const EXPIRED_KEPT: Duration = Duration::from_secs(5 * 60);
/// Time for which a server that shuts down waits for its tasks; supervisors kill it after 10 to 30 s.
pub(super) const GRACE: Duration = Duration::from_secs(5);
/// Time that a server that shuts down has for its last writes after the grace, and again for the release
/// of its lease.
pub(super) const LAST_WRITES: Duration = Duration::from_secs(1);
/// Shortest time between two messages of progress that are stored; a write takes milliseconds.
pub(super) const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);
/// Time for an operation of a store.
pub(super) const STORE_TIMEOUT: Duration = Duration::from_secs(10);
/// Pause before something is tried again that has failed once; each further pause is twice as long.
pub(super) const FIRST_RETRY_PAUSE: Duration = Duration::from_secs(1);
/// Longest pause before something is tried again that has failed.
pub(super) const MAX_RETRY_PAUSE: Duration = Duration::from_secs(60);
/// Attempts to store the end of a task: about 6 minutes.
pub(super) const FINISH_ATTEMPTS: usize = 12;
/// Renewals of a lease before it would be over; three may fail.
pub(super) const RENEWALS: u32 = 4;
/// Attempts to edit a task that other processes change at the same time.
pub(super) const MAX_EDITS: usize = 100;
/// Tasks of one subscription; others are not accepted.
pub(super) const MAX_SUBSCRIBED: usize = 100;
/// Tasks that are found to have expired by one query of a store.
pub(super) const MAX_DUE: usize = 64;
/// Notifications of a subscription that wait for a client to read; a task announces only its newest
/// status.
pub(super) const QUEUED_NOTIFICATIONS: usize = 4;
/// Tasks that an error names; more do not help.
pub(super) const NAMED_TASKS: usize = 20;
/// Bytes that a task is charged for beside the texts of the caller and the tool; about its record.
pub(super) const RECORD_BYTES: usize = 512;
/// Tasks that have not ended; some kilobytes each.
const RUNNING: usize = 10_000;
/// Tasks of one principal that have not ended: a tenth.
const RUNNING_EACH: usize = 1_000;
/// Bytes of the tasks that are kept.
const BYTES: usize = 256 << 20;
/// Bytes of the tasks of one principal that are kept: a quarter.
const BYTES_EACH: usize = 64 << 20;

/// Limits of a database.
#[cfg(feature = "sqlite")]
pub(super) mod sqlite {
    use std::time::Duration;

    /// Time after which a process that shares a database is taken for stopped.
    pub(in crate::tasks) const LEASE: Duration = Duration::from_secs(3);
    /// How often the store is polled for changes made by other processes.
    pub(in crate::tasks) const POLL: Duration = Duration::from_millis(250);
    /// Time until the store is polled again after a poll that failed.
    pub(in crate::tasks) const FAILED_POLL: Duration = Duration::from_secs(5);
    /// Time for which an operation waits: for those before it, and for other processes.
    pub(in crate::tasks) const BUSY: Duration = Duration::from_secs(5);
    /// Pause before a database is opened again whose journal another process sets up.
    pub(in crate::tasks) const OPEN_PAUSE: Duration = Duration::from_millis(10);
    /// Connections that read; one writes.
    pub(in crate::tasks) const READERS: usize = 4;
    /// Operations that wait for a connection: to read, and to write.
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
            running: RUNNING,
            running_each: RUNNING_EACH,
            bytes: BYTES,
            bytes_each: BYTES_EACH,
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
        self.running = all;
        self.running_each = each;
        self
    }

    /// The bytes of all tasks that are kept, and of those of one principal.
    #[must_use]
    pub const fn bytes(mut self, all: usize, each: usize) -> Self {
        self.bytes = all;
        self.bytes_each = each;
        self
    }
}
