//! Tasks whose call may be dropped while they are stored.

use std::sync::Arc;

use tokio::runtime::Handle;

use super::Tasks;
use crate::tasks::store::{TaskRecord, TaskStoreError};

/// A stored task that nobody works on yet. Dropped, it is removed from the store.
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
    /// meanwhile, the task is removed once it is stored.
    pub(super) async fn insert_for_call(
        &self,
        task: TaskRecord,
    ) -> Result<Option<NewTask>, TaskStoreError> {
        let mut new = NewTask {
            tasks: self.clone(),
            id: Arc::clone(&task.id),
            removes_on_drop: false,
        };
        let inserting = tokio::spawn(async move {
            new.removes_on_drop = new.tasks.insert(task).await?;
            Ok(new.removes_on_drop.then_some(new))
        });
        let inserted = inserting.await;
        inserted.map_err(|panic| TaskStoreError(panic.into()))?
    }
}

impl Drop for NewTask {
    fn drop(&mut self) {
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        if self.removes_on_drop {
            let (tasks, id) = (self.tasks.clone(), Arc::clone(&self.id));
            runtime.spawn(async move {
                if let Err(error) = tasks.0.records.store.remove(&id).await {
                    tracing::warn!(%error, "the task of a dropped call could not be removed");
                }
            });
        }
    }
}
