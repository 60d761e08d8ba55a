//! Default limits and times of tasks, each with its unit and reason.
//!
//! A limit that is the default of a setting can be changed by the setting. All others are fixed.

use std::time::Duration;

// Clients.

/// Time between two requests for a task's status, if the server suggests none.
pub(super) const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Minimum time between two requests for a task's status, whatever the server suggests.
pub(super) const MIN_POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Maximum time between two requests for a task's status, whatever the server suggests.
pub(super) const MAX_POLL_INTERVAL: Duration = Duration::from_secs(60 * 60);
/// Number of intervals between two requests for a task whose changes are announced, because an
/// announcement may be lost.
pub(super) const SUBSCRIBED_INTERVALS: u32 = 10;
/// How long a client still follows a task after its time to live, because the server may end the
/// task a little later.
pub(super) const LATE: Duration = Duration::from_secs(60);

// Servers.

/// Time after its creation when a task is deleted. A client that was away can return within this
/// time.
pub(super) const TTL: Duration = Duration::from_secs(60 * 60);
/// How long a task is kept that failed because it ran for too long.
pub(super) const EXPIRED_KEPT: Duration = Duration::from_secs(5 * 60);
/// How long a server that shuts down waits for its tasks. Supervisors kill it after 10 to 30 s.
pub(super) const GRACE: Duration = Duration::from_secs(5);
/// How long a server that shuts down has for its last writes after the grace period, and again for
/// the release of its lease.
pub(super) const LAST_WRITES: Duration = Duration::from_secs(1);
/// Minimum time between two progress messages that are stored, because a write takes milliseconds.
pub(super) const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);
pub(super) const STORE_TIMEOUT: Duration = Duration::from_secs(10);
/// Pause before a failed operation is tried again. Each later pause is twice as long as the one
/// before.
pub(super) const FIRST_RETRY_PAUSE: Duration = Duration::from_secs(1);
pub(super) const MAX_RETRY_PAUSE: Duration = Duration::from_secs(60);
/// Number of attempts to store the end of a task, which take about 6 minutes.
pub(super) const FINISH_ATTEMPTS: usize = 12;
/// Number of renewals of a lease before it would end. Three of them may fail.
pub(super) const RENEWALS: u32 = 4;
/// Number of attempts to edit a task that other processes change at the same time.
pub(super) const MAX_EDITS: usize = 100;
/// Maximum number of tasks in one subscription. More tasks are not accepted.
pub(super) const MAX_SUBSCRIBED: usize = 100;
/// Maximum number of expired tasks that one query of a store returns.
pub(super) const MAX_DUE: usize = 64;
/// Number of notifications of a subscription that wait for a client to read. A task announces only
/// its newest status.
pub(super) const QUEUED_NOTIFICATIONS: usize = 4;
/// Number of tasks that an error names. More names would not help.
pub(super) const NAMED_TASKS: usize = 20;
/// Bytes charged for each task in addition to strings from the caller and the tool, roughly for its
/// record.
pub(super) const RECORD_BYTES: usize = 512;
/// Maximum number of tasks that have not ended. Each takes some kilobytes.
const RUNNING: usize = 10_000;
/// Maximum number of tasks of one principal that have not ended, a tenth of all.
const RUNNING_EACH: usize = 1_000;
/// Maximum number of bytes of stored tasks.
const BYTES: usize = 256 << 20;
/// Maximum number of bytes of the stored tasks of one principal, a quarter of all.
const BYTES_EACH: usize = 64 << 20;

#[cfg(feature = "sqlite")]
pub(super) mod sqlite {
    use std::time::Duration;

    /// Time after which a process that shares a database is considered stopped.
    pub(in crate::tasks) const LEASE: Duration = Duration::from_secs(3);
    /// How often the store is polled for changes made by other processes.
    pub(in crate::tasks) const POLL: Duration = Duration::from_millis(250);
    /// Time until the store is polled again after a failed poll.
    pub(in crate::tasks) const FAILED_POLL: Duration = Duration::from_secs(5);
    /// How long an operation waits for earlier operations and for other processes.
    pub(in crate::tasks) const BUSY: Duration = Duration::from_secs(5);
    /// Pause before a database is opened again while another process sets up its journal.
    pub(in crate::tasks) const OPEN_PAUSE: Duration = Duration::from_millis(10);
    /// Number of connections for reading. There is one connection for writing.
    pub(in crate::tasks) const READERS: usize = 4;
    /// Maximum number of operations that wait for a connection, for reading and for writing each.
    pub(in crate::tasks) const QUEUED: usize = 1024;
}

/// The limits of a server's tasks, in total and for each principal. All unauthenticated callers
/// together are one principal.
///
/// A call that would exceed the limits stays a plain call, or is refused if it has to be a task.
/// The results of existing tasks are always kept.
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
    /// Creates the default limits: 10,000 running tasks and 256 MiB in total, and 1,000 running
    /// tasks and 64 MiB for each principal.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the maximum number of tasks that have not ended, in total and for each principal.
    #[must_use]
    pub const fn running(mut self, all: usize, each: usize) -> Self {
        self.running = all;
        self.running_each = each;
        self
    }

    /// Sets the maximum number of bytes of stored tasks, in total and for each principal.
    #[must_use]
    pub const fn bytes(mut self, all: usize, each: usize) -> Self {
        self.bytes = all;
        self.bytes_each = each;
        self
    }

    /// Returns the maximum number of tasks that have not ended, in total and for each principal.
    #[must_use]
    pub const fn max_running(&self) -> (usize, usize) {
        (self.running, self.running_each)
    }

    /// Returns the maximum number of [bytes](crate::tasks::store::TaskRecord::bytes) of stored
    /// tasks, in total and for each principal.
    #[must_use]
    pub const fn max_bytes(&self) -> (usize, usize) {
        (self.bytes, self.bytes_each)
    }
}
