//! Tasks whose call may be dropped while they are stored.

use std::sync::Arc;

use super::Tasks;
use super::process::Left;
use crate::tasks::store::{TaskRecord, TaskStoreError};

/// A task that is stored, or perhaps stored, and that no process works on yet. Dropped, it is removed from the
/// store by the maintenance.
pub(super) struct NewTask {
    tasks: Tasks,
    id: Arc<str>,
    removes_on_drop: bool,
}

impl NewTask {
    /// Leaves the task to whoever works on it.
    pub(super) fn keep(mut self) {
        self.removes_on_drop = false;
    }
}

impl Tasks {
    /// Keeps the task of a call; `None` where it would exceed the limits. If the call is dropped
    /// meanwhile, or the store fails, the task is removed.
    pub(super) async fn insert_for_call(
        &self,
        task: TaskRecord,
    ) -> Result<Option<NewTask>, TaskStoreError> {
        let mut new = NewTask {
            tasks: self.clone(),
            id: Arc::clone(&task.id),
            removes_on_drop: true,
        };
        let inserting = tokio::spawn(async move {
            new.removes_on_drop = new.tasks.insert(task).await?;
            Ok(new.removes_on_drop.then_some(new))
        });
        let inserted = inserting.await;
        inserted.map_err(|panic| TaskStoreError::Failed(panic.into()))?
    }
}

impl Drop for NewTask {
    fn drop(&mut self) {
        if self.removes_on_drop {
            self.tasks.0.process.leave(&self.id, Left::Remove);
            self.tasks.0.process.wake.notify_one();
        }
    }
}
