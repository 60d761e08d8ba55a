//! The trait of a store of tasks.

use std::sync::Arc;
use std::time::Duration;

use mcp_runtime::BoxFuture;
use mcp_runtime::layer::BoxError;

use super::TaskRecord;
use crate::tasks::limits::TaskLimits;

/// The outcome of an operation of a store, which may take its time.
pub type StoreFuture<T> = BoxFuture<Result<T, TaskStoreError>>;

/// A store of tasks: of this process ([`MemoryTaskStore`](super::MemoryTaskStore)), or shared with others.
///
/// A record is replaced as a whole, by whoever has read the version before. An operation that takes longer
/// than 10 seconds has failed; a change may have happened nevertheless, and is looked for later.
///
/// # Leases
///
/// A process that works on tasks is a runner. Runners that share a store renew their leases four times in
/// the [length of a lease](Self::lease), which changes a number in the store. Every other runner remembers
/// the number, and measures with its own monotonic clock how long the number has not changed. After the
/// whole length without a change it takes over the tasks of that runner. No clock of two processes is ever
/// compared, so a step of the system clock has no effect. Only time between two looks that are close
/// together is measured: a process that was itself suspended does not take over the tasks of others when
/// it wakes up.
///
/// # Time
///
/// Tasks [expire](TaskRecord::expires) by the time of the store: milliseconds that the runners count with
/// their monotonic clocks and write down with each renewal. The largest count is kept. That time never
/// runs faster than a real clock. It stands still while no process has the store open, and while the
/// computer is suspended. So a task never expires before its time to live is over, whichever process looks.
/// It may expire later: by up to two lengths of a lease, and by the time during which no process had the store open.
///
/// A store without leases has to [report](Self::renew) the same time to all who use it, and to keep it if it
/// outlives the process.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `TaskStore`",
    label = "not a `TaskStore`",
    note = "write `Tasks::memory()`, or with the feature `sqlite` `Tasks::new(SqliteTaskStore::open(path)?)`"
)]
pub trait TaskStore: Send + Sync + 'static {
    /// Adds a task, which can be [loaded](Self::load) once this is done, by every process. Returns
    /// false, and adds nothing, where it would exceed `limits`.
    fn insert(&self, task: TaskRecord, limits: TaskLimits) -> StoreFuture<bool>;

    /// The task with this id.
    ///
    /// # Errors
    ///
    /// [`TaskStoreError::Unreadable`] if this record alone can't be read.
    fn load(&self, id: &str) -> StoreFuture<Option<Arc<TaskRecord>>>;

    /// Replaces a task if its version is the one before that of `task`. Returns whether it was.
    fn replace(&self, task: TaskRecord) -> StoreFuture<bool>;

    /// Removes a task, which may be one that can't be read.
    fn remove(&self, id: &str) -> StoreFuture<()>;

    /// Waits until a task has another version than this one, or was removed. It may be done before, as it
    /// is where the store fails.
    fn changed(&self, id: &str, version: u64) -> BoxFuture<()>;

    /// The tasks that [expire](TaskRecord::expires) at `now` or before (ms), at most a hundred, and the
    /// time of the next one (ms). Includes tasks that can't be read.
    fn due(&self, now: u64) -> StoreFuture<(Vec<Arc<str>>, Option<u64>)>;

    /// The time after which a runner that has not [renewed](Self::renew) its lease is taken for stopped;
    /// `None` if runners stop together with the store, which is the default.
    fn lease(&self) -> Option<Duration> {
        None
    }

    /// Renews the lease of a runner: changes its number. Advances the time of the store to `now` (ms),
    /// unless it is later already. A store may also have a monotonic clock of its own, and ignore `now`.
    fn renew(&self, runner: &str, now: u64) -> StoreFuture<Renewal> {
        let _ = runner;
        let runners = Vec::new();
        Box::pin(async move { Ok(Renewal { now, runners }) })
    }

    /// Ends the lease of a runner, which has stopped.
    fn release(&self, runner: &str) -> StoreFuture<()> {
        let _ = runner;
        Box::pin(async { Ok(()) })
    }

    /// The tasks of a runner that have not ended. Includes tasks that can't be read.
    fn unfinished(&self, runner: &str) -> StoreFuture<Vec<Arc<str>>> {
        let _ = runner;
        Box::pin(async { Ok(Vec::new()) })
    }
}

/// The result of [renewing](TaskStore::renew) a lease.
#[derive(Clone, Debug, Default)]
pub struct Renewal {
    /// The time of the store, in ms.
    pub now: u64,
    /// The other runners that have a lease or unfinished tasks, and the numbers of their leases. A runner
    /// without a lease has stopped.
    pub runners: Vec<(Arc<str>, Option<i64>)>,
}

/// The fault of a store that can't be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskStoreError {
    /// The operation failed.
    #[error("the store of tasks failed: {0}")]
    Failed(#[from] BoxError),
    /// Too many operations wait for the store, or another process has locked it. The same operation
    /// may succeed later.
    #[error("the store of tasks is busy: try again later")]
    Busy,
    /// The record of this task is damaged, or was written by a newer version. Other tasks are not
    /// affected.
    #[error("the record of the task can't be read: {0}")]
    Unreadable(#[source] BoxError),
}
