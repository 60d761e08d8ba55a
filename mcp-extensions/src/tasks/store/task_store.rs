//! The trait of a store of tasks.

use std::sync::Arc;
use std::time::Duration;

use mcp_runtime::BoxFuture;
use mcp_runtime::layer::BoxError;

use super::TaskRecord;
use crate::tasks::limits::TaskLimits;

/// The future of an operation of a store.
pub type TaskStoreFuture<T> = BoxFuture<Result<T, TaskStoreError>>;

/// A store for tasks, of this process ([`MemoryTaskStore`](super::MemoryTaskStore)) or shared by
/// several processes.
///
/// A record is replaced as a whole, and only by a process that has read the previous version. An
/// operation that takes longer than 10 seconds is considered failed. The change may have happened
/// nevertheless, and is looked for later.
///
/// To write your own store, run the tests of `mcp_extensions::testing::store_contract` (feature
/// `testing`).
///
/// # Leases
///
/// A process that works on tasks is a runner. Runners that share a store renew their leases four
/// times in the [length of a lease](Self::lease). Each renewal changes a number in the store. Every
/// other runner remembers the number, and measures with its own monotonic clock how long the number
/// has not changed. If the number does not change for the whole length, the runner takes over the
/// tasks of the silent one.
///
/// Clocks of different processes are never compared, so a step of the system clock has no effect.
/// Only time between two checks that are close together is measured, so a process that was itself
/// suspended does not take over the tasks of others when it wakes up.
///
/// # Time
///
/// Tasks [expire](TaskRecord::expires) by the time of the store. Runners count its milliseconds
/// with their monotonic clocks, and write the count down with each renewal. The store keeps the
/// largest count. This time never runs faster than a real clock. It stops while no process
/// has the store open, and while the computer is suspended.
///
/// So a task never expires before its time to live is over, whichever process checks. It may expire
/// later: by up to two lengths of a lease, and by the time during which no process had the store
/// open.
///
/// A store without leases has to [report](Self::renew) the same time to all its users, and to keep
/// the time if the store outlives the process.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `TaskStore`",
    label = "not a `TaskStore`",
    note = "write `Tasks::memory()`, or with the feature `sqlite` `Tasks::new(SqliteTaskStore::open(path)?)`"
)]
pub trait TaskStore: Send + Sync + 'static {
    /// Adds a task. Once this is done, every process can [load](Self::load) the task. Returns
    /// false, and adds nothing, if the task would exceed `limits`.
    fn insert(&self, task: TaskRecord, limits: TaskLimits) -> TaskStoreFuture<bool>;

    /// Returns the task with this id.
    ///
    /// # Errors
    ///
    /// Returns [`TaskStoreError::Unreadable`] if only this record can't be read.
    fn load(&self, id: &str) -> TaskStoreFuture<Option<Arc<TaskRecord>>>;

    /// Replaces a task if the stored version is the one before `task.version`. Returns whether the
    /// task was replaced.
    fn replace(&self, task: TaskRecord) -> TaskStoreFuture<bool>;

    /// Removes a task, even if its record can't be read.
    fn remove(&self, id: &str) -> TaskStoreFuture<()>;

    /// Waits until the task's version is no longer `version`, or the task is removed. May return
    /// earlier, for example if the store fails.
    fn changed(&self, id: &str, version: u64) -> BoxFuture<()>;

    /// Returns the tasks that [expire](TaskRecord::expires) at `now` (ms) or before, at most a
    /// hundred, and the time at which the next one expires (ms). Includes tasks that can't be read.
    fn due(&self, now: u64) -> TaskStoreFuture<(Vec<Arc<str>>, Option<u64>)>;

    /// Returns the time after which a runner that has not [renewed](Self::renew) its lease is
    /// considered stopped. The default is `None`, for runners that stop together with the store.
    fn lease(&self) -> Option<Duration> {
        None
    }

    /// Renews the lease of a runner by changing its number, and advances the time of the store to
    /// `now` (ms) unless it is already later. A store with its own monotonic clock may ignore
    /// `now`.
    fn renew(&self, runner: &str, now: u64) -> TaskStoreFuture<Renewal> {
        let _ = runner;
        let runners = Vec::new();
        Box::pin(async move { Ok(Renewal { now, runners }) })
    }

    /// Ends the lease of a runner that has stopped.
    fn release(&self, runner: &str) -> TaskStoreFuture<()> {
        let _ = runner;
        Box::pin(async { Ok(()) })
    }

    /// Returns the tasks of a runner that have not ended. Includes tasks that can't be read.
    fn unfinished(&self, runner: &str) -> TaskStoreFuture<Vec<Arc<str>>> {
        let _ = runner;
        Box::pin(async { Ok(Vec::new()) })
    }
}

/// The result of [renewing](TaskStore::renew) a lease.
#[derive(Clone, Debug, Default)]
pub struct Renewal {
    /// The time of the store, in ms.
    pub now: u64,
    /// The other runners that have a lease or unfinished tasks, with the numbers of their leases. A
    /// runner without a number has stopped.
    pub runners: Vec<(Arc<str>, Option<i64>)>,
}

/// An error of a store.
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
