//! The trait of a store of tasks.

use std::sync::Arc;
use std::time::Duration;

use mcp_runtime::layer::{BoxError, BoxFuture};

use super::TaskRecord;
use crate::tasks::limits::TaskLimits;

/// The outcome of an operation of a store, which may take its time.
pub type StoreFuture<T> = BoxFuture<Result<T, TaskStoreError>>;

/// A store of tasks: of this process ([`MemoryTaskStore`](super::MemoryTaskStore)), or shared with others.
///
/// A record is replaced as a whole, by whoever has read the version before. A process that works on
/// tasks is a runner; those of a runner that has stopped are [taken](Self::take) by another one.
pub trait TaskStore: Send + Sync + 'static {
    /// Adds a task, which can be [loaded](Self::load) once this is done, by every process. Returns
    /// false, and adds nothing, where it would exceed `limits`.
    fn insert(&self, task: TaskRecord, limits: TaskLimits) -> StoreFuture<bool>;

    /// The task with this id.
    fn load(&self, id: &str) -> StoreFuture<Option<Arc<TaskRecord>>>;

    /// Replaces a task if its version is the one before that of `task`. Returns whether it was.
    fn replace(&self, task: TaskRecord) -> StoreFuture<bool>;

    /// Removes a task.
    fn remove(&self, id: &str) -> StoreFuture<()>;

    /// Waits until a task has another version than this one, or was removed. It may be done before, as it
    /// is where the store fails.
    fn changed(&self, id: &str, version: u64) -> BoxFuture<()>;

    /// The tasks that [expire](TaskRecord::expires) at `now` or before (ms), at most a hundred, and the
    /// time of the next one (ms).
    fn due(&self, now: u64) -> StoreFuture<(Vec<Arc<str>>, Option<u64>)>;

    /// The time after which a runner that has not [renewed](Self::renew) its lease counts as stopped;
    /// `None` if runners stop together with the store, which is the default.
    fn lease(&self) -> Option<Duration> {
        None
    }

    /// Renews the lease of a runner, or ends it.
    fn renew(&self, runner: &str, ends: bool) -> StoreFuture<()> {
        let _ = (runner, ends);
        Box::pin(async { Ok(()) })
    }

    /// Makes `runner` the runner of tasks that have not ended and whose runner has stopped. Returns
    /// them.
    fn take(&self, runner: &str) -> StoreFuture<Vec<Arc<TaskRecord>>> {
        let _ = runner;
        Box::pin(async { Ok(Vec::new()) })
    }
}

/// The fault of a store that can't be read or written.
#[derive(Debug, thiserror::Error)]
#[error("the store of tasks failed: {0}")]
pub struct TaskStoreError(#[from] pub BoxError);
